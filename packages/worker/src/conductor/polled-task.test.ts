import { describe, expect, it } from "vitest";
import { parsePolledTask } from "./polled-task.ts";
import { wireTask } from "./testing/fake-engine.ts";

const times = { pollSentAtMs: 10, receivedAtMs: 20 };

describe("polled task", () => {
  it("takes what one attempt needs and drops what it does not know", () => {
    const parsed = parsePolledTask(wireTask({ retriedTaskId: "task-0", iteration: 3 }), times);
    expect(parsed).toEqual({
      ok: true,
      task: {
        polled: {
          workflowInstanceId: "wf-1",
          taskId: "task-1",
          retryCount: 0,
          scheduledTime: 1_796_059_984_547,
          pollCount: 1,
          workerId: "host-abcdef",
          taskDefName: "features.build",
          referenceTaskName: "build",
          iteration: 3,
          retriedTaskId: "task-0",
          inputData: { params: { a: 1 } },
          responseTimeoutSeconds: 30,
          ...times,
        },
        engineTimeouts: { responseTimeoutSeconds: 30 },
      },
    });
  });

  it("case C06: the timeouts that count are those of the definition that came with the task", () => {
    const parsed = parsePolledTask(
      wireTask({ responseTimeoutSeconds: 7, taskDefinition: { timeoutSeconds: 40, responseTimeoutSeconds: 7 } }),
      times,
    );
    expect(parsed.ok && parsed.task.engineTimeouts).toEqual({ responseTimeoutSeconds: 7, timeoutSeconds: 40 });
  });

  it("case J10, rule I6: an input stored outside the engine arrives as its path", () => {
    const parsed = parsePolledTask(wireTask({ inputData: {}, externalInputPayloadStoragePath: "s3/in.json" }), times);
    expect(parsed.ok && parsed.task.polled.externalInputPath).toBe("s3/in.json");
  });

  it("fault C12: what a retry carries of the old attempt's output is dropped", () => {
    const outputData = { workspace: { ref: "0".repeat(64) }, result: { stale: true } };
    expect(parsePolledTask(wireTask({ outputData }), times)).toEqual(parsePolledTask(wireTask(), times));
  });

  it.each(["\u0000", "\u0085", "\u2029", "\u202e", "\u2066"])(
    "fault J5: an id that holds %j is no id, and is not repeated",
    (character) => {
      const parsed = parsePolledTask(wireTask({ taskId: `task${character}1` }), times);
      expect(parsed).toMatchObject({ ok: false, unreadable: { taskId: undefined } });
    },
  );

  it("names the task and the field where a task cannot be read", () => {
    const parsed = parsePolledTask(wireTask({ scheduledTime: "yesterday" }), times);
    expect(parsed).toMatchObject({ ok: false, unreadable: { taskId: "task-1" } });
    expect(!parsed.ok && parsed.unreadable.problem).toContain("scheduledTime");
  });
});
