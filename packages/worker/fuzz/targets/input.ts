import { parseWorkspaceInput } from "@perago/taskdef";
import * as fc from "fast-check";
import { parsePolledTask } from "../../src/conductor/polled-task.ts";
import { demand, demandWords } from "../kit/judge.ts";
import { hostileText } from "../kit/hostile.ts";
import { mutated } from "../kit/mutate.ts";
import { fuzzTarget, type FuzzTarget } from "../kit/target.ts";

const hex = fc.string({ unit: fc.constantFrom(...Array.from("0123456789abcdef")), minLength: 8, maxLength: 64 });
const name = fc.stringMatching(/^[a-z0-9][a-z0-9-]{2,20}$/);

/** What a sound workspace task's input looks like (rule I1). */
const soundInput = fc.record({
  workspace: fc.record({ repository: name, branch: name, refType: fc.constant("commit"), ref: hex }),
  params: fc.record({ featureSet: fc.string(), minRows: fc.nat() }),
});

const FIELDS = ["branch", "ref", "refType", "repository"];

function own(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** Rules I1 and I4 again, as plainly as they can be said. */
function isWorkspace(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Object.keys(value).toSorted().join() !== FIELDS.join())
    return false;
  const [repository, branch, ref] = [own(value, "repository"), own(value, "branch"), own(value, "ref")];
  const isName = (text: unknown): boolean => typeof text === "string" && /^\w[\w.-]{0,254}$/.test(text);
  const isId = typeof ref === "string" && /^[0-9a-f]{8,64}$/.test(ref);
  return isName(repository) && isName(branch) && isId && own(value, "refType") === "commit";
}

/** Rules I1, I4, I5. */
export function taskInputTarget(parse = parseWorkspaceInput): FuzzTarget {
  return fuzzTarget({
    name: "task-input",
    claim: "a workspace is accepted just where its four fields are sound; what is wrong is said in safe words",
    share: 14,
    input: mutated(soundInput),
    check: ({ value, isSound }) => {
      const parsed = parse(value);
      if (parsed.ok) {
        demand(isWorkspace(own(value, "workspace")), "accepted what rules I1 and I4 refuse", value);
        return demand(isWorkspace(parsed.value), "answered another workspace than the input's", parsed.value);
      }
      demand(!isSound, "refused a sound input", value);
      demand(parsed.findings.length > 0, "refused without a word", value);
      for (const finding of parsed.findings) {
        demandWords(finding.message, "a finding");
        demandWords(finding.hint, "a hint");
      }
    },
  });
}

/** Ids as Conductor makes them. */
const id = fc.uuid();
const time = fc.integer({ min: 1_600_000_000_000, max: 1_900_000_000_000 });
const soundTask = fc.record({
  workflowInstanceId: id,
  taskId: id,
  retryCount: fc.nat({ max: 10 }),
  scheduledTime: time,
  pollCount: fc.nat({ max: 10 }),
  workerId: fc.option(name),
  status: fc.constant("IN_PROGRESS"),
  taskDefName: name,
  referenceTaskName: name,
  iteration: fc.option(fc.nat({ max: 5 })),
  seq: fc.nat({ max: 100 }),
  retriedTaskId: fc.option(id),
  inputData: soundInput,
  externalInputPayloadStoragePath: fc.option(hostileText),
  responseTimeoutSeconds: fc.option(fc.nat({ max: 3600 })),
  taskDefinition: fc.option(fc.record({ timeoutSeconds: fc.nat(), updateTime: fc.option(time) })),
});

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
/** An id goes into a path and into metadata: half a letter or a dot segment would name something else. */
const isId = (value: unknown): boolean =>
  typeof value === "string" && value !== "" && value.isWellFormed() && !/^\.{1,2}$/.test(value);

/** Rule A1: what identifies a delivery is there, and of its kind. */
export function polledTaskTarget(parse = parsePolledTask): FuzzTarget {
  const times = { pollSentAtMs: 1, receivedAtMs: 2 };
  return fuzzTarget({
    name: "polled-task",
    claim: "a polled task is read just where its identity is whole; one that cannot be read is named in safe words",
    share: 12,
    input: mutated(soundTask),
    check: ({ value, isSound }) => {
      const parsed = parse(value, times);
      if (!parsed.ok) {
        demand(!isSound, "refused a sound task", value);
        return demandWords(`${parsed.unreadable.problem} ${parsed.unreadable.taskId ?? ""}`, "the problem");
      }
      const { polled, engineTimeouts } = parsed.task;
      for (const field of ["workflowInstanceId", "taskId", "taskDefName", "referenceTaskName"] as const) {
        demand(isId(polled[field]) && polled[field] === own(value, field), `accepted a wrong ${field}`, polled);
      }
      for (const field of ["retryCount", "scheduledTime", "pollCount"] as const) {
        demand(isCount(polled[field]) && polled[field] === own(value, field), `accepted a wrong ${field}`, polled);
      }
      demand(isCount(polled.iteration) && isCount(polled.responseTimeoutSeconds), "a wrong number", polled);
      demand(polled.inputData !== undefined && polled.inputData !== null, "no input", polled);
      demand(isCount(engineTimeouts.timeoutSeconds ?? 0), "a wrong time-out", engineTimeouts);
    },
  });
}
