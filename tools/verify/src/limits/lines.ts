import { isGenerated, isTest, type SourceFile } from "../tree.ts";

/**
 * Most lines of a source file. Every line counts, blank ones and comments too: a reader scrolls through all of them.
 */
export const maxFileLines = 400;
/** Most lines of a test file. */
export const maxTestFileLines = 600;

/**
 * Most letters of a line. The formatter wraps code; this holds comments and strings. A line with a web address may be
 * longer, and so may the title of a test, which is a claim and cannot be broken.
 */
export const maxLineChars = 120;

/** File and line limits. Returns what is over, one line each. Generated files are free. */
export function checkLines(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => !isGenerated(path)).flatMap(checkFile);
}

/** How many lines a text has. */
export function lineCount(text: string): number {
  const count = text.split("\n").length;
  return text.endsWith("\n") ? count - 1 : count;
}

function checkFile({ path, text }: SourceFile): string[] {
  const findings: string[] = [];
  const limit = isTest(path) ? maxTestFileLines : maxFileLines;
  const count = lineCount(text);
  if (count > limit) findings.push(`${path}: ${count} lines, at most ${limit}; split it`);
  for (const [index, line] of text.split("\n").entries()) {
    if (line.length > maxLineChars && !line.includes("://") && !(isTest(path) && isTitle(line))) {
      findings.push(`${path}:${index + 1}: ${line.length} letters in a line, at most ${maxLineChars}`);
    }
  }
  return findings;
}

function isTitle(line: string): boolean {
  return /^\s*(?:test|it|describe)(?:\.\w+)*\(["'`]/.test(line);
}
