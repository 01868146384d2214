import { describe, expect, test } from "vitest";
import { isTaskDefinition } from "./define-task.ts";
import { isTaskFailed, isTaskTerminalError, TaskFailed, TaskTerminalError } from "./failure.ts";

describe("case P03: brands, not classes, tell failures and tasks apart", () => {
  test("a second copy's failures are recognised, each as its own kind", async () => {
    const copyUrl = new URL("./failure.ts?copy=2", import.meta.url).href;
    const copy: typeof import("./failure.ts") = await import(/* @vite-ignore */ copyUrl);
    expect(copy.TaskFailed).not.toBe(TaskFailed);
    const failed = new copy.TaskFailed("no data today");
    const terminal = new copy.TaskTerminalError("never");
    expect(failed instanceof TaskFailed).toBe(false);
    expect([isTaskFailed(failed), isTaskTerminalError(failed)]).toEqual([true, false]);
    expect([isTaskFailed(terminal), isTaskTerminalError(terminal)]).toEqual([false, true]);
    expect(failed.message).toBe("no data today");
  });

  test("a second copy's task is recognised", async () => {
    const copyUrl = new URL("./define-task.ts?copy=2", import.meta.url).href;
    const copy: typeof import("./define-task.ts") = await import(/* @vite-ignore */ copyUrl);
    const { z } = await import("zod");
    const schema = z.object({});
    const task = copy.defineTask({ name: "t", ownerEmail: "a@b", params: schema, output: schema, run: () => ({}) });
    expect(isTaskDefinition(task)).toBe(true);
  });

  test("other errors and look-alikes are not recognised", () => {
    const lookAlike = Object.assign(new Error("x"), { name: "TaskFailed" });
    for (const value of [lookAlike, new Error("x"), null, undefined, "TaskFailed", 1]) {
      expect(isTaskFailed(value)).toBe(false);
      expect(isTaskTerminalError(value)).toBe(false);
    }
  });

  test("a failure is an Error with a cause", () => {
    const cause = new Error("disk");
    const failed = new TaskFailed("no", { cause });
    expect(failed).toBeInstanceOf(Error);
    expect(failed.cause).toBe(cause);
    expect(new TaskTerminalError("no").name).toBe("TaskTerminalError");
  });
});
