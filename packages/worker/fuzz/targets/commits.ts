import {
  classifyPublish,
  decodeMetadata,
  encodeConfirmMetadata,
  normalisePrefix,
  PublishFenceError,
  type FenceCommit,
  type PublishRange,
} from "@perago/fence";
import * as fc from "fast-check";
import { demand, demandError } from "../kit/judge.ts";
import { hostileText } from "../kit/hostile.ts";
import { mutated } from "../kit/mutate.ts";
import { fuzzTarget, type FuzzTarget } from "../kit/target.ts";

const KEY = "wf-1:build:0:features.build";
const SELF = { logicalTaskKey: KEY, prefix: "/data", scheduledTime: 5000, taskId: "t-9", retryCount: 2 };

const soundMetadata = fc
  .record({
    taskId: fc.constantFrom("t-1", "t-2", "t-9"),
    retryCount: fc.nat({ max: 2 }),
    scheduledTime: fc.integer({ min: 1000, max: 6000 }),
    prefix: fc.constantFrom("data", "/data/", "data/", "other"),
    logicalTaskKey: fc.constantFrom(KEY, KEY, KEY, "wf-2:build:0:features.build"),
  })
  .map((some) =>
    encodeConfirmMetadata({
      ...some,
      inputRef: "a".repeat(64),
      targetBranch: "main",
      stagingBranch: "perago-stg-x",
      stagingCommit: "b".repeat(64),
      expectedHead: "",
      supersedes: "",
      workflowInstanceId: "wf-1",
      taskDefName: "features.build",
      referenceTaskName: "build",
      workerId: "w0001",
      writer: "ts/0.0.0",
    }),
  );

const WHOLE = /^(?:0|[1-9]\d*)$/;
const own = (record: object, key: string): unknown =>
  Object.hasOwn(record, key) ? Reflect.get(record, key) : undefined;
const isWhole = (text: unknown): boolean =>
  typeof text === "string" && WHOLE.test(text) && Number.isSafeInteger(Number(text));

/** Rule C1: what decoded means, and that everything else has its defect. */
export function metadataTarget(decode = decodeMetadata): FuzzTarget {
  return fuzzTarget({
    name: "commit-metadata",
    claim: "metadata decodes just where its needed keys are own texts with a meaning; it never throws",
    share: 12,
    input: mutated(soundMetadata),
    check: ({ value, isSound }) => {
      const record: Record<string, unknown> = Object(value);
      const decoded = decode(record);
      if (!decoded.ok) return demand(!isSound, "refused sound metadata", value);
      const { phase, logicalTaskKey, prefix, scheduledTime } = decoded.metadata;
      demand(own(record, "perago.phase") === phase && /^(?:try|confirm)$/.test(phase), "another phase", value);
      demand(own(record, "perago.logical_task_key") === logicalTaskKey && logicalTaskKey !== "", "another key", value);
      const said = own(record, "perago.prefix");
      demand(typeof said === "string" && prefix === normalisePrefix(said), "another prefix", value);
      demand(scheduledTime === undefined || isWhole(own(record, "perago.scheduled_time")), "a wrong time", value);
    },
  });
}

const soundRange = fc.record({
  metadata: fc.array(soundMetadata, { maxLength: 5 }),
  words: fc.array(fc.tuple(hostileText, hostileText), { minLength: 5, maxLength: 5 }),
  hardFence: fc.boolean(),
  isBroken: fc.boolean(),
});

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function rangeOf(value: object): PublishRange {
  const records = listOf(own(value, "metadata"));
  const words = listOf(own(value, "words"));
  const isBroken = own(value, "isBroken") === true;
  const commits = records.map((record, index): FenceCommit => {
    const [message, committer] = listOf(words[index]);
    const parent = index + 1 === records.length && isBroken ? "nowhere" : `c${index + 1}`;
    // What a server answers is text by type only.
    const metadata: Record<string, string> = Object(record);
    return { id: `c${index}`, parents: [parent], metadata, message: textOf(message), committer: textOf(committer) };
  });
  const input: FenceCommit = { id: `c${records.length}`, parents: [], metadata: {} };
  const hardFence = own(value, "hardFence") === true;
  return { inputRef: input.id, head: "c0", commits: [...commits, input], self: SELF, hardFence };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Rules P2, P3, P4 and P8, said again for one commit without any of the classifier's words. */
function mayBeSuperseded(commit: FenceCommit): boolean {
  const { metadata } = commit;
  if (typeof metadata !== "object" || metadata === null || Object.hasOwn(metadata, "cherry-pick-origin")) return false;
  const prefix = own(metadata, "perago.prefix");
  const time = own(metadata, "perago.scheduled_time");
  const isOlder = time === undefined || (isWhole(time) && Number(time) <= SELF.scheduledTime);
  const isOwn = own(metadata, "perago.phase") === "confirm" && own(metadata, "perago.logical_task_key") === KEY;
  return isOwn && typeof prefix === "string" && normalisePrefix(prefix) === "data/" && isOlder;
}

/** Rules P1 to P10 on ranges that others wrote. */
export function publishFenceTarget(classify = classifyPublish): FuzzTarget {
  return fuzzTarget({
    name: "publish-fence",
    claim: "a head is accepted only over a whole chain of older own commits; refusals name their commit in safe words",
    share: 12,
    input: mutated(soundRange),
    check: ({ value }) => {
      const range = rangeOf(Object(value));
      const decision = classify(range);
      if (decision.kind !== "publish") return demandError(new PublishFenceError(decision), PublishFenceError);
      const walked = range.commits.slice(0, -1);
      demand(
        walked.every((commit, index) => commit.parents[0] === range.commits[index + 1]?.id),
        "accepted a broken chain",
        range,
      );
      demand(walked.every(mayBeSuperseded), "accepted what P2 to P8 refuse", range.commits);
    },
  });
}
