/**
 * One thing that is wrong or doubtful, as the command shows it. Optional fields are left out where they do not apply.
 */
export interface Finding {
  readonly severity: "error" | "warning";
  /** Path of the task module, from the working folder where it lies below it. */
  readonly file?: string;
  /** Task name, or the name of a setting. */
  readonly task?: string;
  readonly setting?: string;
  readonly code: string;
  readonly message: string;
  /** The mend. */
  readonly hint: string;
}

/** Whether one of them is an error. */
export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === "error");
}

/** `2 errors, 1 warning`; what there is none of is left out. */
export function countFindings(findings: readonly Finding[]): string {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  const parts = [plural(errors, "error"), plural(warnings, "warning")].filter((part) => part !== "");
  return parts.length === 0 ? "no findings" : parts.join(", ");
}

function plural(count: number, word: string): string {
  return count === 0 ? "" : `${count} ${word}${count === 1 ? "" : "s"}`;
}
