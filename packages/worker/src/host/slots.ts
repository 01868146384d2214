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
 * tasks of one name, a name that no task has, or more slots than worker ids.
 */
export function planSlots(input: {
  readonly tasks: readonly TaskDescription[];
  readonly workerIdPrefix: string;
  readonly slotsPerTask: number;
  readonly slotsByTask: ReadonlyMap<string, number>;
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

function toSlot(prefix: string, index: number): Slot {
  return { index, workerId: `${prefix}${String(index).padStart(4, "0")}` };
}
