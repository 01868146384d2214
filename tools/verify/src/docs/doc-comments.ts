import { lineAt } from "../source/imports.ts";
import { codeView, scan } from "../source/scan.ts";
import { isCode, isGenerated, isTest, type SourceFile } from "../tree.ts";

const declaration = /^export (?:(?:async|abstract|declare) )*(?:function|const|class|interface|type) (?:\* ?)?(\w+)/gm;
const published = /^packages\/[^/]+\/src\//;

/**
 * Exported declarations of packages without a doc comment right before them, one line each. Overloads share the first
 * one's.
 */
export function checkDocComments(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => published.test(path) && isCode(path) && !isTest(path) && !isGenerated(path))
    .flatMap(checkFile);
}

function checkFile({ path, text }: SourceFile): string[] {
  const segments = scan(text);
  const docEnds = segments
    .filter(({ kind, start }) => kind === "comment" && text.startsWith("/**", start))
    .map(({ end }) => end);
  const seen = new Set<string>();
  return [...codeView(text, segments).matchAll(declaration)].flatMap(({ index, 1: name = "" }) => {
    const isOverload = seen.has(name);
    seen.add(name);
    if (isOverload || docEnds.includes(text.slice(0, index).trimEnd().length)) return [];
    return [`${path}:${lineAt(text, index)}: ${name} is exported and has no doc comment`];
  });
}
