import * as fc from "fast-check";
import { ConductorError } from "../../src/conductor/errors.ts";
import { createConductorHttp, type ConductorHttp } from "../../src/conductor/http.ts";
import { pollTasks } from "../../src/conductor/poll.ts";
import { readTask } from "../../src/conductor/read.ts";
import { sendHeartbeat } from "../../src/conductor/report.ts";
import { getTaskDef } from "../../src/conductor/task-defs.ts";
import { systemClock } from "../../src/system-clock.ts";
import { answers } from "../kit/answers.ts";
import { demand, demandError, demandNoSecret, demandWords } from "../kit/judge.ts";
import { CANARY, hostileText } from "../kit/hostile.ts";
import { brokenJson, mutated } from "../kit/mutate.ts";
import { startRawServer, type RawServer } from "../kit/raw-server.ts";
import { fuzzTarget, type FuzzTarget } from "../kit/target.ts";

const REQUEST_TIMEOUT_MS = 1000;
const task = fc.record({
  workflowInstanceId: fc.uuid(),
  taskId: fc.uuid(),
  retryCount: fc.nat({ max: 3 }),
  scheduledTime: fc.nat(),
  pollCount: fc.nat({ max: 3 }),
  workerId: fc.option(hostileText),
  status: fc.constantFrom("IN_PROGRESS", "COMPLETED", "FAILED"),
  taskDefName: fc.constant("features.build"),
  referenceTaskName: fc.constant("build"),
  inputData: fc.constant({}),
  outputData: fc.constantFrom<unknown>({ result: 1, workspace: { ref: "a" } }, {}, null),
});

const poll = { taskName: "features.build", workerId: "w", count: 2, timeoutMs: 0 };

/** What is asked, and what its result must be, whatever came. */
const REQUESTS = {
  poll: async (http: ConductorHttp): Promise<boolean> => {
    const { tasks, unreadable } = await pollTasks(http, systemClock, poll);
    for (const { problem, taskId } of unreadable) demandWords(`${problem} ${taskId ?? ""}`, "the problem");
    return tasks.every(({ polled }) => polled.taskId !== "" && Number.isSafeInteger(polled.retryCount));
  },
  read: async (http: ConductorHttp): Promise<boolean> => {
    const read = await readTask(http, "t-1", REQUEST_TIMEOUT_MS);
    return read === null || (read.taskId !== "" && Number.isSafeInteger(read.scheduledTime));
  },
  heartbeat: async (http: ConductorHttp): Promise<boolean> => {
    await sendHeartbeat(http, { workflowInstanceId: "w", taskId: "t", workerId: "h" }, REQUEST_TIMEOUT_MS);
    return true;
  },
  taskDef: async (http: ConductorHttp): Promise<boolean> => {
    const found = await getTaskDef(http, "features.build");
    return found === undefined || typeof found.name === "string";
  },
} as const;

const bodies = fc.oneof(
  brokenJson(mutated(fc.array(task, { maxLength: 3 })).map(({ value }) => value)),
  brokenJson(mutated(task).map(({ value }) => value)),
  brokenJson(fc.record({ status: fc.constantFrom(400, 404, 409), message: hostileText, retryable: fc.boolean() })),
);

/** Faults E5, E7; cases R10, R14; case A01. */
export function conductorAnswerTarget(requests: typeof REQUESTS = REQUESTS): FuzzTarget {
  let server: RawServer | undefined;
  let http: ConductorHttp | undefined;
  const token = (): Promise<string> => Promise.resolve(CANARY);
  return fuzzTarget({
    name: "conductor-answer",
    claim: "an answer is a task, nothing, or a ConductorError that keeps the token and says what may have landed",
    share: 1,
    limitMs: 2000,
    input: fc.record({ what: fc.constantFrom("poll", "read", "heartbeat", "taskDef"), answer: answers(bodies) }),
    open: async () => {
      const opened = await startRawServer();
      server = opened;
      http = createConductorHttp({
        serverUrl: `${opened.url}/api`,
        tokens: { current: token, renew: token, close: () => {} },
      });
      return () => opened.close();
    },
    check: async ({ what, answer }) => {
      if (server === undefined || http === undefined) throw new Error("not opened");
      server.answer(answer.bytes, answer.isLast);
      try {
        demand(await requests[what](http), `${what} answered another shape`);
        demand(answer.status < 300 || answer.status === 404, `took a ${answer.status} for an answer`);
      } catch (error) {
        if (error instanceof Error && error.name === "Error") throw error;
        demandError(error, ConductorError);
        demandNoSecret(error);
        const { mayHaveLanded, code } = error;
        const isGateway = [408, 499, 502, 503, 504].includes(answer.status);
        demand(mayHaveLanded || !isGateway || code !== "conductor_refused", "a gateway's word counted as the engine's");
      }
    },
  });
}
