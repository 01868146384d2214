import { randomBytes } from "node:crypto";
import {
  classifyPublish,
  encodeConfirmMetadata,
  logicalTaskKey,
  MAX_WALKED_COMMITS,
  type FenceCommit,
  type PublishRange,
} from "@perago/fence";
import { rerun, untilTask, type EngineTask } from "@perago/e2e/support/conductor.ts";
import type { Measurement, Surroundings } from "../measurement.ts";
import { phaseTimes } from "../phases.ts";
import { openBareLakefs } from "../world/bare-http.ts";
import { completed, untilSettled, type Session } from "../world/session.ts";
import { prepareTree, stamp, warmHost, type TreeWork } from "./attempt.ts";
import { treePath } from "../world/tree.ts";

const FENCE_PHASES = new Set(["fenceEarly", "fenceBase", "pinHead"]);
const PAGE_COMMITS = 1000;
const CLASSIFIER_MS = 500;

/** B8: the publish fence where a logical task has published as often as it may walk. */
export const history: Measurement = {
  rows: [
    {
      id: "B8",
      work: "publish fence at 1,024 own commits",
      against: "the bare requests for the two log pages",
      unit: "ms",
      decimals: 1,
      bound: { figure: "ratio", relation: "<=", value: 1.5 },
    },
    {
      id: "B8/classifier",
      work: "the pure classifier on 1,024 own commits",
      against: "-",
      unit: "M commits/s",
      bound: { figure: "ours", relation: ">=", value: 1 },
    },
  ],
  async measure(around) {
    await around.session.register("change");
    const work = await prepareTree(around, { fileCount: 1, sizeBytes: 100 });
    const fence = await fenceAt(around, work, around.quick ? 256 : MAX_WALKED_COMMITS);
    return { B8: fence, "B8/classifier": { ours: classifierRates(around.quick ? 3 : 5), other: [] } };
  },
};

/**
 * The fence's phases of attempts that supersede `commitCount` own commits, against the bare log requests, by turns. A
 * rerun is the same logical task again; the target is put back before it.
 */
export async function fenceAt(around: Surroundings, work: TreeWork, commitCount: number) {
  const { session, quick, say } = around;
  const { place, input } = work;
  const target = `long-${randomBytes(4).toString("hex")}`;
  await place.branchAt(input, target);
  const params = { path: treePath(0), stamp: stamp() };
  const start = { task: "change", repository: place.repository, branch: target, ref: input, params } as const;
  const workflowId = await session.start(start);
  const task = await untilTask(workflowId, ["SCHEDULED"]);
  say(`writes ${commitCount} own commits`);
  const head = await writeOwnCommits(session, { work, target, task, commitCount });
  const host = await warmHost(around, work);
  await completed(workflowId);
  const bare: number[] = [];
  for (let run = 0; run < (quick ? 3 : 5); run += 1) {
    await untilSettled(host, place);
    bare.push(await bareLogMs(place.repository, head, input));
    await session.client.deleteBranch(place.repository, target);
    await place.branchAt(head, target);
    await rerun(workflowId, task.taskId);
    await completed(workflowId);
  }
  await untilSettled(host, place);
  const lines = (await host.logLines()).filter(({ workflowInstanceId }) => workflowInstanceId === workflowId);
  await host.stop();
  return { ours: fenceTimes(lines), other: bare };
}

/** Each attempt's mean over its evaluations of the fence. */
function fenceTimes(lines: Parameters<typeof phaseTimes>[0]): readonly number[] {
  const ids = new Set(lines.flatMap(({ executionId }) => (typeof executionId === "string" ? [executionId] : [])));
  return [...ids].map((id) => {
    const times = phaseTimes(lines, new Set([id])).filter(({ phase }) => FENCE_PHASES.has(phase));
    return times.reduce((sum, { medianMs }) => sum + medianMs, 0) / times.length;
  });
}

interface OwnHistory {
  readonly work: TreeWork;
  readonly target: string;
  readonly task: EngineTask;
  readonly commitCount: number;
}

async function writeOwnCommits(session: Session, { work, target, task, commitCount }: OwnHistory): Promise<string> {
  const { place, input } = work;
  let head = input;
  for (let index = 0; index < commitCount; index += 1) {
    const metadata = encodeConfirmMetadata({
      ...fieldsOf(task, input, index),
      targetBranch: target,
      expectedHead: head,
    });
    const creation = { message: `own ${index}`, metadata, allowEmpty: true };
    head = (await session.client.commit(place.repository, target, creation)).id;
  }
  return head;
}

/** What a logical task is named by. */
type TaskNames = Pick<EngineTask, "workflowInstanceId" | "referenceTaskName" | "iteration" | "taskDefName">;

function fieldsOf(task: TaskNames, inputRef: string, index: number) {
  const { workflowInstanceId, referenceTaskName, iteration, taskDefName } = task;
  return {
    logicalTaskKey: logicalTaskKey({ workflowInstanceId, referenceTaskName, iteration, taskDefName }),
    taskId: `earlier-${index}`,
    retryCount: 0,
    inputRef,
    targetBranch: "main",
    prefix: "data",
    stagingBranch: `perago-stg-earlier-${index}`,
    stagingCommit: "0".repeat(64),
    expectedHead: inputRef,
    supersedes: index === 0 ? "" : inputRef,
    workflowInstanceId,
    taskDefName,
    referenceTaskName,
    scheduledTime: 1000 + index,
    workerId: "bench0001",
    writer: "ts/bench",
  };
}

async function bareLogMs(repository: string, head: string, stopAt: string): Promise<number> {
  const bare = openBareLakefs();
  const query = `first_parent=true&amount=${PAGE_COMMITS}&stop_at=${stopAt}`;
  const path = `/repositories/${repository}/refs/${head}/commits?${query}`;
  // Opens the connection, so that the clock sees requests only.
  await bare.send("GET", `/repositories/${repository}`);
  const beginMs = performance.now();
  const first = await bare.send("GET", path);
  const after = /"next_offset":"([^"]+)"/.exec(first)?.[1];
  if (after !== undefined && after !== "") await bare.send("GET", `${path}&after=${encodeURIComponent(after)}`);
  const elapsedMs = performance.now() - beginMs;
  bare.close();
  return elapsedMs;
}

/** Millions of commits that the pure classifier judges in a second. */
function classifierRates(runCount: number): readonly number[] {
  const range = ownRange(MAX_WALKED_COMMITS);
  return Array.from({ length: runCount + 1 }, () => {
    const beginMs = performance.now();
    let count = 0;
    while (performance.now() - beginMs < CLASSIFIER_MS) {
      if (classifyPublish(range).kind !== "publish") throw new Error("the classifier refused the bench's own range");
      count += MAX_WALKED_COMMITS;
    }
    return count / 1000 / (performance.now() - beginMs);
  }).slice(1);
}

function ownRange(commitCount: number): PublishRange {
  const self = {
    logicalTaskKey: "wf:step:0:task",
    prefix: "data/",
    scheduledTime: 10 ** 12,
    taskId: "now",
    retryCount: 0,
  };
  const id = (index: number): string => String(index).padStart(64, "0");
  const task = { workflowInstanceId: "wf", referenceTaskName: "step", iteration: 0, taskDefName: "task" };
  const commits: FenceCommit[] = Array.from({ length: commitCount }, (_, index) => {
    const fields = { ...fieldsOf(task, id(0), index), expectedHead: id(index) };
    const metadata = encodeConfirmMetadata(fields);
    const who = { message: "own", committer: "bench", creationDate: 0 };
    return { id: id(index + 1), parents: [id(index)], metadata, ...who };
  });
  const inputCommit = { id: id(0), parents: [], metadata: {}, message: "", committer: "", creationDate: 0 };
  const newestFirst = [inputCommit, ...commits].toReversed();
  return { inputRef: id(0), head: id(commitCount), commits: newestFirst, self, hardFence: false };
}
