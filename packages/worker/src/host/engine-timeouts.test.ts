import { describe, expect, it } from "vitest";
import { withEngineTimeouts } from "./engine-timeouts.ts";
import { taskDescription } from "./testing/task-description.ts";

const publishBudget = {
  observedMergeP99Seconds: 20,
  safetyMarginSeconds: 10,
  lakefsMergeTimeoutSeconds: 45,
  conductorCompletionTimeoutSeconds: 15,
  workerShutdownGraceSeconds: 30,
  heartbeatIntervalSeconds: 10,
};
const task = taskDescription({ name: "features.build", publishBudget, timeoutSeconds: 600, responseSeconds: 100 });

describe("engine timeouts", () => {
  it("case C06: the polled task's timeouts count, and a difference is a word", () => {
    const adjusted = withEngineTimeouts(task, { responseTimeoutSeconds: 200, timeoutSeconds: 900 });
    expect(adjusted.task).toMatchObject({ responseSeconds: 200, timeoutSeconds: 900 });
    expect(adjusted.warnings).toHaveLength(1);
    expect(adjusted.warnings[0]).toContain("Conductor's count");
  });

  it("fault F3, case C06: a response timeout shorter than the publish budget is told, one that fits is not", () => {
    const short = withEngineTimeouts(task, { responseTimeoutSeconds: 99 });
    expect(short.warnings.at(-1)).toContain("99 s is shorter than the 100 s");
    expect(withEngineTimeouts(task, { responseTimeoutSeconds: 100 })).toEqual({ task, warnings: [] });
  });
});
