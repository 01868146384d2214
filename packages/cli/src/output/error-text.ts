import type { CommandError } from "../command-error.ts";
import { findingLines, labelled, oneLine } from "./finding-lines.ts";
import type { Output } from "./style.ts";

/**
 * An error for stderr: its findings, then itself and the mend; with `--json` one line `{"error": {code, message, hint,
 * findings}}`.
 */
export function errorText(output: Output, error: CommandError, json: boolean): string {
  const { code, message, hint, findings } = error;
  if (json) return `${JSON.stringify({ error: { code, message, hint, findings } })}\n`;
  const listed = findings.map((finding) => findingLines(output, finding)).join("");
  const where = `${oneLine(message)}  ${output.paint("faint", code)}`;
  return `${listed}${labelled(output, "error", where, [`-> ${oneLine(hint)}`])}`;
}
