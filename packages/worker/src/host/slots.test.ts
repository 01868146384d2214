import { describe, expect, it } from "vitest";
import { planSlots, SlotPlanError } from "./slots.ts";
import { taskDescription } from "./testing/task-description.ts";

const workspace = { prefix: "a/", readOnly: false, pre: [], post: [] };
const build = taskDescription({ name: "features.build", workspace });
const report = taskDescription({ name: "catalog.report", workspace });

function plan(
  tasks = [build, report],
  slotsByTask: readonly (readonly [string, number])[] = [],
  slotsPerTask = 1,
): string[] {
  const planned = planSlots({
    tasks,
    workerIdPrefix: "host-abcdef",
    slotsPerTask,
    slotsByTask: new Map(slotsByTask),
    executionMode: "process",
  });
  return planned.map(({ task, slots }) => `${task.name}: ${slots.map((slot) => slot.workerId).join(" ")}`);
}

describe("slots", () => {
  it("-j counts for every task, --slots for one, and worker ids are prefix and four digits", () => {
    expect(plan([build, report], [["catalog.report", 1]], 2)).toEqual([
      "features.build: host-abcdef0001 host-abcdef0002",
      "catalog.report: host-abcdef0003",
    ]);
  });

  it("refuses no tasks, two of one name, a name that no task has, and too many slots, naming them", () => {
    expect(() => plan([])).toThrow(SlotPlanError);
    expect(() => plan([build, build])).toThrow("two tasks are named features.build");
    expect(() => plan([build], [["featuers.build", 2]])).toThrow(
      "--slots names featuers.build, which is none of: features.build",
    );
    expect(() => plan([build, report], [], 5_000)).toThrow("10000 slots are more than 9999");
    expect(plan([build], [["features.build", 9_999]])).toHaveLength(1);
  });

  it("a thread runs tasks without a workspace and readers, no writers, which are named", () => {
    const free = taskDescription({ name: "free" });
    const threads = { workerIdPrefix: "h", slotsPerTask: 1, slotsByTask: new Map(), executionMode: "thread" } as const;
    const reader = taskDescription({ name: "reader", workspace: { ...workspace, readOnly: true } });
    expect(planSlots({ tasks: [free, reader], ...threads })).toHaveLength(2);
    expect(() => planSlots({ tasks: [free, build, report], ...threads })).toThrow(
      "runs no task that writes a workspace: features.build, catalog.report",
    );
  });
});
