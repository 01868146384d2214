/** Most lines of a function, every line counted. `limits.oxlintrc.json` has the same number. */
export const maxFunctionLines = 70;

/** One report of oxlint, as far as the checks read it. Offsets are bytes of UTF-8. */
export interface LintReport {
  readonly path: string;
  readonly message: string;
  readonly offsetBytes: number;
  readonly line: number;
}

const describeCallback = /\bdescribe(?:\.\w+)*(?:\([^;{]*\))?\s*\([^()]*,\s*(?:async\s*)?$/;
const lookBackBytes = 400;

/** Reads what `oxlint -f json` printed. Throws where it is something else: then the linter did not run. */
export function parseLintReports(output: string): LintReport[] {
  const json: unknown = JSON.parse(output);
  if (!isRecord(json) || !Array.isArray(json["diagnostics"]))
    throw new Error(`oxlint printed no report: ${output.slice(0, 500)}`);
  return json["diagnostics"].map((diagnostic: unknown) => {
    const fields = isRecord(diagnostic) ? diagnostic : {};
    const labels: unknown = fields["labels"];
    const label: unknown = Array.isArray(labels) ? labels[0] : undefined;
    const span = isRecord(label) && isRecord(label["span"]) ? label["span"] : {};
    return {
      path: String(fields["filename"]),
      message: String(fields["message"]),
      offsetBytes: Number(span["offset"] ?? 0),
      line: Number(span["line"] ?? 1),
    };
  });
}

/**
 * Reports of functions that are too long, without those whose function is the callback of a `describe`:
 * it is a list of tests, and each test in it is measured.
 */
export function withoutDescribe(reports: readonly LintReport[], textOf: (path: string) => string): LintReport[] {
  return reports.filter(({ path, offsetBytes }) => {
    const bytes = Buffer.from(textOf(path));
    const before = bytes.subarray(Math.max(0, offsetBytes - lookBackBytes), offsetBytes).toString();
    return !describeCallback.test(before.replaceAll(/"[^"\n]*"|'[^'\n]*'|`[^`]*`/g, '""'));
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
