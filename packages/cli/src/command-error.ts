import type { ExitCode } from "./exit-codes.ts";
import type { Finding } from "./findings.ts";

/** What ends a command without a result: exit code, stable code, what is wrong, the mend, and all single findings. */
export class CommandError extends Error {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly hint: string;
  readonly findings: readonly Finding[];

  constructor(fields: {
    readonly exitCode: ExitCode;
    readonly code: string;
    readonly message: string;
    readonly hint: string;
    readonly findings?: readonly Finding[];
    readonly cause?: unknown;
  }) {
    super(fields.message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = "CommandError";
    this.exitCode = fields.exitCode;
    this.code = fields.code;
    this.hint = fields.hint;
    this.findings = fields.findings ?? [];
  }
}
