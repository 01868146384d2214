import type { Finding } from "../findings.ts";
import type { Output } from "./style.ts";

/** Width of the first word of a line: `warning`. */
export const LABEL_WIDTH = 7;
const INDENT = " ".repeat(LABEL_WIDTH + 2);

/** A label, coloured, then the text; further lines stand under the text. */
export function labelled(
  output: Output,
  label: "ok" | "warning" | "error",
  text: string,
  under: readonly string[] = [],
): string {
  const first = `${output.paint(label, label.padEnd(LABEL_WIDTH))}  ${text}\n`;
  return first + under.map((line) => `${INDENT}${line}\n`).join("");
}

/** A finding as text: where, its code, what is wrong, and the mend. */
export function findingLines(output: Output, finding: Finding): string {
  const named = finding.task ?? finding.setting;
  const where = [
    ...(named === undefined ? [] : [output.paint("name", oneLine(named))]),
    ...(finding.file === undefined ? [] : [oneLine(finding.file)]),
    output.paint("faint", finding.code),
  ];
  return labelled(output, finding.severity, where.join("  "), [
    oneLine(finding.message),
    `-> ${oneLine(finding.hint)}`,
  ]);
}

/** Names and messages may hold what a module's author wrote: no control character of it reaches the terminal. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
}
