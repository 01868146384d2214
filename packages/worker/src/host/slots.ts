import type { TaskDescription } from "../tasks/description.ts";

/** Worker ids end in four digits. */
export const MAX_SLOTS = 9_999;

/** One place where an attempt of one task runs. */
export interface Slot {
  /** Number within the host, from 1. */
  readonly index: number;
  /** Prefix and four digits: names logs and executors, and is `perago.worker_id`. */
  readonly workerId: string;
}

/** The slots of one task. */
export interface TaskSlots {
  readonly task: TaskDescription;
  readonly slots: readonly Slot[];
}

/** The slots cannot be laid out as asked; `hint` is the mend. */
export class SlotPlanError extends Error {
  readonly code = "slots_invalid";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = "SlotPlanError";
    this.hint = hint;
  }
}

/**
 * Lays out the host's slots: `-j` for every task, `--slots name=n` for one. Throws `SlotPlanError` for no tasks, two
 * tasks of one name, a name that no task has, more slots than worker ids, or a task that no thread may run.
 */
export function planSlots(input: {
  readonly tasks: readonly TaskDescription[];
  readonly workerIdPrefix: string;
  readonly slotsPerTask: number;
  readonly slotsByTask: ReadonlyMap<string, number>;
  readonly executionMode: "process" | "thread";
}): readonly TaskSlots[] {
  const names = input.tasks.map((task) => task.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  const unknown = [...input.slotsByTask.keys()].find((name) => !names.includes(name));
  if (names.length === 0) throw new SlotPlanError("no tasks were given", "Name at least one task module");
  if (twice !== undefined)
    throw new SlotPlanError(`two tasks are named ${twice}`, "Rename one, or start it in another host");
  if (unknown !== undefined) {
    throw new SlotPlanError(
      `--slots names ${unknown}, which is none of: ${names.join(", ")}`,
      "Correct the name in --slots",
    );
  }
  const refusal = threadRefusal(input);
  if (refusal !== undefined) throw new SlotPlanError(refusal.message, refusal.hint);
  let next = 1;
  const plan = input.tasks.map((task) => {
    const count = input.slotsByTask.get(task.name) ?? input.slotsPerTask;
    const slots = Array.from({ length: count }, (_, offset) => toSlot(input.workerIdPrefix, next + offset));
    next += count;
    return { task, slots };
  });
  if (next - 1 > MAX_SLOTS) {
    throw new SlotPlanError(`${next - 1} slots are more than ${MAX_SLOTS}`, "Use a smaller -j, or several hosts");
  }
  return plan;
}

/**
 * Why `PERAGO_EXECUTION_MODE=thread` does not run the tasks, or undefined: what a thread leaves behind cannot be ended
 * for certain (rule T8), so it has no task whose folder is published.
 */
export function threadRefusal(input: {
  readonly tasks: readonly Pick<TaskDescription, "name" | "workspace">[];
  readonly executionMode: "process" | "thread";
}): { readonly message: string; readonly hint: string } | undefined {
  const writers = input.tasks.filter(({ workspace }) => workspace?.readOnly === false).map(({ name }) => name);
  if (input.executionMode === "process" || writers.length === 0) return undefined;
  return {
    message: `PERAGO_EXECUTION_MODE=thread runs no task that writes a workspace: ${writers.join(", ")}`,
    hint: "Start them in another host with PERAGO_EXECUTION_MODE=process.",
  };
}

function toSlot(prefix: string, index: number): Slot {
  return { index, workerId: `${prefix}${String(index).padStart(4, "0")}` };
}
