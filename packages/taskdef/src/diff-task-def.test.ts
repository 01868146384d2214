import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTask } from "./define-task.ts";
import { diffTaskDef, mergeTaskDef } from "./diff-task-def.ts";
import { toTaskDef } from "./extract.ts";

const schema = z.object({ a: z.number(), b: z.string() });
const result = toTaskDef(
  defineTask({ name: "t", ownerEmail: "a@b", params: schema, output: schema, run: () => ({ a: 1, b: "" }) }),
);
if (!result.ok) throw new Error("the sample task is broken");
const { taskDef } = result;

/** The same JSON with all keys in reverse order, as a server may return it. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}
const asRecord = (value: unknown): Record<string, unknown> => Object.fromEntries(Object.entries(Object(value)));

describe("what differs between the registered TaskDef and the code", () => {
  test("nothing differs from what was registered, whatever the server adds or reorders", () => {
    const registered = asRecord(reversed(taskDef));
    const served = {
      ...registered,
      inputSchema: { ...taskDef.inputSchema, ownerApp: "", createTime: 1 },
      createTime: 5,
      concurrentExecLimit: 7,
      pollTimeoutSeconds: 30,
      inputTemplate: {},
    };
    expect(diffTaskDef(served, taskDef)).toEqual([]);
  });

  test("an owned field that differs, is missing or null is listed with both values", () => {
    const { ownerEmail: _, ...rest } = taskDef;
    const registered = { ...rest, retryCount: 5, timeoutPolicy: null };
    expect(diffTaskDef(registered, taskDef)).toEqual([
      { field: "ownerEmail", registered: undefined, extracted: "a@b" },
      { field: "retryCount", registered: 5, extracted: 3 },
      { field: "timeoutPolicy", registered: undefined, extracted: "TIME_OUT_WF" },
    ]);
  });

  test("a field that the server leaves out counts as 0 where 0 means none", () => {
    const { totalTimeoutSeconds: _, backoffJitterMs: __, ...older } = taskDef;
    expect(diffTaskDef(older, taskDef)).toEqual([]);
  });

  test("a change deep in a schema is a difference", () => {
    const changed = { ...taskDef, outputSchema: { ...taskDef.outputSchema, data: {} } };
    expect(diffTaskDef(asRecord(changed), taskDef).map(({ field }) => field)).toEqual(["outputSchema"]);
  });
});

describe("case C05: register keeps fields that it does not own", () => {
  test("operators' fields and unset limits stay, owned fields come from the code", () => {
    const registered = { ...taskDef, retryCount: 9, concurrentExecLimit: 7, inputTemplate: { a: 1 }, createdBy: "op" };
    const merged = mergeTaskDef(registered, taskDef);
    expect(merged).toEqual({ ...taskDef, concurrentExecLimit: 7, inputTemplate: { a: 1 }, createdBy: "op" });
    expect(diffTaskDef(merged, taskDef)).toEqual([]);
    expect(registered.retryCount).toBe(9);
  });

  test("a schema keeps what the server wrote beside ours", () => {
    const registered = { inputSchema: { name: "old", version: 1, type: "JSON", data: {}, ownerApp: "x" } };
    expect(mergeTaskDef(registered, taskDef)["inputSchema"]).toEqual({ ...taskDef.inputSchema, ownerApp: "x" });
  });

  test("a task that is not registered yet is registered as extracted", () => {
    expect(mergeTaskDef(undefined, taskDef)).toEqual(taskDef);
  });
});
