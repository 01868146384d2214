/**
 * Exit codes of the `stack` command, as everywhere in this repository: 0 ok, 1 what was asked for went wrong here,
 * 2 usage or configuration, 3 a server is unreachable or refuses.
 */
export type StackExitCode = 1 | 2 | 3;

/** What went wrong in the world: what it is, how to mend it, and the exit code that says its kind. */
export class StackError extends Error {
  /** Stable name of the failure, for scripts and tests. */
  readonly code: string;
  /** The mend, as a sentence or a command. */
  readonly hint: string;
  readonly exitCode: StackExitCode;

  constructor(input: { code: string; message: string; hint: string; exitCode: StackExitCode }) {
    super(input.message);
    this.name = "StackError";
    this.code = input.code;
    this.hint = input.hint;
    this.exitCode = input.exitCode;
  }
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a Node system error (`ENOENT`, ...), or undefined. */
export function systemCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
