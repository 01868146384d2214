import { maxLineChars } from "./lines.ts";

const lineComment = /^(\s*\/\/ )(\S.*)$/;
const blockLine = /^(\s*\* )(\S.*)$/;
const oneLineBlock = /^(\s*)(\/\*\*?) (\S.*) \*\/$/;

/**
 * Wraps comment lines that are longer than a line may be; code and comments behind code stay as they are.
 * A list item goes on two blanks further in, and a `@param` text too.
 */
export function wrapComments(text: string, maxChars: number = maxLineChars): string {
  return text
    .split("\n")
    .flatMap((line) => (line.length > maxChars ? wrapLine(line, maxChars) : [line]))
    .join("\n");
}

function wrapLine(line: string, maxChars: number): string[] {
  const [, indent, open, inner = ""] = oneLineBlock.exec(line) ?? [];
  if (indent !== undefined && open !== undefined) {
    return [`${indent}${open}`, ...fill(`${indent} * `, inner, maxChars), `${indent} */`];
  }
  const [, prefix, words = ""] = lineComment.exec(line) ?? blockLine.exec(line) ?? [];
  return prefix === undefined || line.trimEnd().endsWith("*/") ? [line] : fill(prefix, words, maxChars);
}

function fill(prefix: string, text: string, maxChars: number): string[] {
  const hang = /^(?:[-*@]|\d+\.)/.test(text) ? "  " : "";
  const lines: string[] = [];
  let current = "";
  for (const word of text.split(" ")) {
    const start = lines.length === 0 ? prefix : prefix + hang;
    if (current !== "" && start.length + current.length + 1 + word.length > maxChars) {
      lines.push(start + current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, (lines.length === 0 ? prefix : prefix + hang) + current];
}
