/** What a stretch of source text is. Template literals are strings, what stands in `${}` is code. */
export type SegmentKind = "code" | "comment" | "string";

/** A stretch of source text, `start` inclusive, `end` exclusive, in UTF-16 units. Quotes belong to their string. */
export interface Segment {
  readonly kind: SegmentKind;
  readonly start: number;
  readonly end: number;
}

const regexMayFollow =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|=>|\b(?:return|typeof|case|in|of|do|else|void|await|yield|throw|new))$/;

/**
 * Splits TypeScript or JavaScript text into code, comments and strings, without a parser: TypeScript 7 has no
 * JavaScript API. A regular expression literal counts as code. The segments cover the text without gaps.
 */
export function scan(text: string): Segment[] {
  const segments: Segment[] = [];
  const templateDepths: number[] = [];
  let braceDepth = 0;
  let codeStart = 0;
  let at = 0;
  const take = (kind: SegmentKind, end: number): void => {
    if (at > codeStart) segments.push({ kind: "code", start: codeStart, end: at });
    segments.push({ kind, start: at, end });
    at = end;
    codeStart = end;
  };
  // Bound: every round moves `at` forward.
  while (at < text.length) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char === "/" && next === "/") take("comment", lineEnd(text, at));
    else if (char === "/" && next === "*") take("comment", blockEnd(text, at));
    else if (char === '"' || char === "'") take("string", quoteEnd(text, at, char));
    else if (char === "`") openOrContinue(templateEnd(text, at + 1));
    else if (char === "}" && templateDepths.at(-1) === braceDepth) {
      templateDepths.pop();
      openOrContinue(templateEnd(text, at + 1));
    } else if (char === "/" && regexMayFollow.test(text.slice(Math.max(0, at - 40), at).trimEnd())) {
      at = regexEnd(text, at);
    } else {
      if (char === "{") braceDepth += 1;
      if (char === "}") braceDepth -= 1;
      at += 1;
    }
  }
  if (at > codeStart) segments.push({ kind: "code", start: codeStart, end: at });
  return segments;

  function openOrContinue(piece: { end: number; opensCode: boolean }): void {
    take("string", piece.end);
    if (piece.opensCode) templateDepths.push(braceDepth);
  }
}

/**
 * The text with every character outside code replaced by a blank (line breaks stay); strings keep their quotes and
 * their length.
 */
export function codeView(text: string, segments: readonly Segment[] = scan(text)): string {
  return segments
    .map(({ kind, start, end }) => {
      const piece = text.slice(start, end);
      if (kind === "code") return piece;
      const blank = piece.replace(/[^\n]/g, " ");
      return kind === "comment" || blank.length < 2
        ? blank
        : piece.charAt(0) + blank.slice(1, -1) + piece.charAt(piece.length - 1);
    })
    .join("");
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function blockEnd(text: string, at: number): number {
  const end = text.indexOf("*/", at + 2);
  return end < 0 ? text.length : end + 2;
}

function quoteEnd(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "\\") at += 1;
    else if (char === quote) return at + 1;
    else if (char === "\n") return at;
  }
  return text.length;
}

function templateEnd(text: string, start: number): { end: number; opensCode: boolean } {
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "\\") at += 1;
    else if (char === "`") return { end: at + 1, opensCode: false };
    else if (char === "$" && text.charAt(at + 1) === "{") return { end: at + 2, opensCode: true };
  }
  return { end: text.length, opensCode: false };
}

function regexEnd(text: string, start: number): number {
  let inClass = false;
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "\\") at += 1;
    else if (char === "\n") return start + 1;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) return at + 1;
  }
  return start + 1;
}
