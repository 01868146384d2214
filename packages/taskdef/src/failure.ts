// Brands, not classes, tell failures apart: a task module may have loaded another copy of this package (case P03).
const FAILED_BRAND: unique symbol = Symbol.for("perago.TaskFailed");
const TERMINAL_BRAND: unique symbol = Symbol.for("perago.TaskTerminalError");

/**
 * Thrown by a task's body to end this attempt as FAILED; the engine retries as the TaskDef says.
 * A business refusal is no failure: return it as a result.
 */
export class TaskFailed extends Error {
  override readonly name: string = "TaskFailed";
  readonly [FAILED_BRAND]: true = true;

  /** @param reason shown in Conductor's reasonForIncompletion (rule R3 cuts it). */
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
  }
}

/** Thrown by a task's body to end the task as FAILED_WITH_TERMINAL_ERROR: the engine does not retry. */
export class TaskTerminalError extends Error {
  override readonly name: string = "TaskTerminalError";
  readonly [TERMINAL_BRAND]: true = true;

  /** @param reason shown in Conductor's reasonForIncompletion (rule R3 cuts it). */
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
  }
}

/** Whether a caught value is a {@link TaskFailed}, of this or any other loaded copy of the package. */
export function isTaskFailed(value: unknown): value is TaskFailed {
  return isBranded(value, FAILED_BRAND);
}

/** Whether a caught value is a {@link TaskTerminalError}, of this or any other loaded copy of the package. */
export function isTaskTerminalError(value: unknown): value is TaskTerminalError {
  return isBranded(value, TERMINAL_BRAND);
}

function isBranded(value: unknown, brand: symbol): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, brand) === true;
}
