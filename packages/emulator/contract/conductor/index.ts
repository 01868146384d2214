import { afterAll, beforeAll, describe } from "vitest";
import { Api, type ConductorUnderTest } from "./api.ts";
import { Given } from "./given.ts";
import { adminSuite } from "./admin.ts";
import { expressionSuite } from "./expressions.ts";
import { forkSuite } from "./forks.ts";
import { limitSuite } from "./limits.ts";
import { loopSuite } from "./loops.ts";
import { outcomeSuite } from "./outcomes.ts";
import { pollSuite } from "./polling.ts";
import { queueSuite } from "./queues.ts";
import { reportSuite } from "./reports.ts";
import { rerunSuite } from "./reruns.ts";
import { retrySuite } from "./retries.ts";
import { startSuite } from "./starting.ts";
import { switchSuite } from "./switches.ts";
import { taskDefSuite } from "./task-defs.ts";
import { timeoutSuite } from "./timeouts.ts";
import { workflowDefSuite } from "./workflow-defs.ts";

const SUITES = {
  "task definitions": taskDefSuite,
  "workflow definitions": workflowDefSuite,
  "starting and reading": startSuite,
  expressions: expressionSuite,
  polling: pollSuite,
  reports: reportSuite,
  retries: retrySuite,
  outcomes: outcomeSuite,
  "reruns and restarts": rerunSuite,
  timeouts: timeoutSuite,
  "terminate, pause, remove": adminSuite,
  forks: forkSuite,
  switches: switchSuite,
  loops: loopSuite,
  "sizes and limits": limitSuite,
  queues: queueSuite,
};

/** The one suite of everything that the Conductor part does, for the emulator and for the real server alike. */
export function conductorContract(make: () => Promise<ConductorUnderTest>): void {
  let server: ConductorUnderTest | undefined;
  let given: Given | undefined;
  beforeAll(async () => {
    server = await make();
    given = new Given(new Api(server.url));
  });
  afterAll(async () => await server?.close());
  const now = (): Given => {
    if (given === undefined) throw new Error("the server is not started");
    return given;
  };
  for (const [name, suite] of Object.entries(SUITES)) describe(name, () => suite(now));
}
