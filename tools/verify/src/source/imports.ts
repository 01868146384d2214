import { codeView, scan } from "./scan.ts";

/** One module reference in a source file: `import`, `export ... from` or `import()`, with its line (from 1). */
export interface ImportReference {
  readonly specifier: string;
  readonly line: number;
}

const reference = /\bfrom\s*(["'])|\b(?:import|require)\s*\(?\s*(["'])/g;
const exportStar = /\bexport\s*(?:type\s*)?\*/g;

/** Every module that the text refers to by a literal. Text in comments and strings is not read as code. */
export function importsOf(text: string): ImportReference[] {
  const segments = scan(text);
  const view = codeView(text, segments);
  const endOfString = new Map(segments.filter(({ kind }) => kind === "string").map(({ start, end }) => [start, end]));
  const found: ImportReference[] = [];
  for (const match of view.matchAll(reference)) {
    const quoteAt = match.index + match[0].length - 1;
    const end = endOfString.get(quoteAt);
    if (end !== undefined) found.push({ specifier: text.slice(quoteAt + 1, end - 1), line: lineAt(text, quoteAt) });
  }
  return found;
}

/** The lines (from 1) that hold an `export *`. */
export function exportStarLines(text: string): number[] {
  return [...codeView(text).matchAll(exportStar)].map(({ index }) => lineAt(text, index));
}

/** The line (from 1) of an offset. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
