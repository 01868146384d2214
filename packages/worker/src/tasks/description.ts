import type { PublishBudgetFields } from "@perago/budget";
import type { Guardrail, TaskDef } from "@perago/taskdef";

/** Something wrong or doubtful in a task module, found before anything runs. */
export interface TaskFinding {
  readonly severity: "error" | "warning";
  readonly code: string;
  /** Names the task and the field. */
  readonly message: string;
  /** The mend. */
  readonly hint: string;
  /** Absolute path of the module, where it was found in one. */
  readonly modulePath?: string;
  /** The task's name, where it is about one task. */
  readonly taskName?: string;
}

/** One task of a module as plain data: what the host may know without running user code. Made by the describe child. */
export interface TaskDescription {
  /** Absolute path of the module, and the export that holds the task. */
  readonly modulePath: string;
  readonly exportName: string;
  readonly name: string;
  readonly workspace?: {
    /** As the author wrote it. */
    readonly prefix: string;
    readonly readOnly: boolean;
    readonly pre: readonly Guardrail[];
    readonly post: readonly Guardrail[];
  };
  readonly timeoutSeconds: number;
  readonly responseSeconds: number;
  /** Only where the workspace is writable. */
  readonly publishBudget?: PublishBudgetFields;
  readonly taskDef: TaskDef;
  readonly findings: readonly TaskFinding[];
}
