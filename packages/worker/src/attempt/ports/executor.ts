import type { AttemptInfo } from "@perago/taskdef";

/**
 * How a body ended, as the host has checked it. `outputJson` is the serialized result, valid against the output schema
 * (rule I3).
 */
export type BodyOutcome =
  | { readonly kind: "returned"; readonly resultJson: string; readonly sizeBytes: number }
  /** The body was not run: its input was to be validated first, and was refused. */
  | { readonly kind: "input_invalid"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "terminal"; readonly message: string }
  | { readonly kind: "output_invalid"; readonly message: string }
  | { readonly kind: "output_too_large"; readonly sizeBytes: number; readonly limitBytes: number }
  | { readonly kind: "lost"; readonly message: string };

/** What one body is run with. */
export interface BodyRequest {
  /** Local folder of the workspace; nothing for a workspace-free task. */
  readonly workspace?: {
    readonly path: string;
    readonly repository: string;
    readonly branch: string;
    readonly ref: string;
    readonly prefix: string;
    readonly readOnly: boolean;
  };
  readonly attempt: AttemptInfo;
  /** To be validated before the body, in the place of `validate`: where nothing lies between the two. */
  readonly inputData?: unknown;
  /** Marks every process that the body starts (rule T8). */
  readonly executionId: string;
}

/** One executor process, held by one attempt at a time. User code runs only here. */
export interface Executor {
  /** Parses `inputData.params` with the task's schema and keeps the parsed value for `run` (rule I3). */
  validate(inputData: unknown): Promise<{ readonly ok: true } | { readonly ok: false; readonly message: string }>;
  run(request: BodyRequest): Promise<BodyOutcome>;
  /**
   * Fires the body's AbortSignal, and kills the executor after the grace; `run` then ends with `lost` or what came
   * first.
   */
  cancel(reason: string, graceMs: number): void;
  /** Waits until nothing that the body started can still write; what is left is killed first (rule T8). */
  seal(): Promise<void>;
  /** Gives the executor back; it is reused, recycled or dead. */
  release(): Promise<void>;
}
