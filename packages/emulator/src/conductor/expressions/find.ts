/** An expression `${...}` in a text. */
export interface Found {
  readonly start: number;
  /** After the closing brace. */
  readonly end: number;
  /** What stands between the braces. */
  readonly path: string;
}

/** The outermost expressions of a text, in their order. `$${...}` is none, and neither is one without an end. */
export function findExpressions(text: string): Found[] {
  const found: Found[] = [];
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf("${", at);
    if (start < 0) break;
    const end = closing(text, start + 2);
    if (end < 0) break;
    if (text[start - 1] !== "$") found.push({ start, end: end + 1, path: text.slice(start + 2, end) });
    at = end + 1;
  }
  return found;
}

function closing(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}
