/** A compiled glob: matches relative file paths whose segments are joined by `/`. */
export interface Glob {
  readonly pattern: string;
  matches(path: string): boolean;
}

// One token matches one character, but "star" matches any run of them. Likewise for segments.
type CharToken = { kind: "star" } | { kind: "any" } | { kind: "char"; char: string } | CharSet;
interface CharSet {
  kind: "set";
  negated: boolean;
  ranges: readonly (readonly [low: string, high: string])[];
}
type SegmentToken = { kind: "globstar" } | { kind: "segment"; tokens: readonly CharToken[] };

/**
 * Compiles a glob with Perago's own meaning: `*` any run within a segment, `?` one character (a code point), `[a-z]`
 * and `[!a-z]` one character in (or outside) a set, `**` as a whole segment any number of folders (at the end: every
 * file below). Dot files match, case counts, only files are matched; braces, extglobs, `^` and backslash are literal,
 * and so is a `[` without its `]`. Never throws; a guardrail's check refuses absolute patterns, `..` and empty
 * segments.
 */
export function compileGlob(pattern: string): Glob {
  const segments = pattern.split("/").map(compileSegment);
  // A last `**` stands for files, so at least one segment must be there for it.
  if (segments.at(-1)?.kind === "globstar") segments.push({ kind: "segment", tokens: [{ kind: "star" }] });
  return {
    pattern,
    matches: (path) =>
      matchRun(segments, path.split("/"), isGlobstar, (token, segment) => matchSegment(token, segment)),
  };
}

function compileSegment(segment: string): SegmentToken {
  return segment === "**" ? { kind: "globstar" } : { kind: "segment", tokens: tokenize(Array.from(segment)) };
}

function tokenize(chars: readonly string[]): CharToken[] {
  const tokens: CharToken[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? "";
    const set = char === "[" ? readSet(chars, at) : undefined;
    if (set !== undefined) {
      tokens.push(set.token);
      at = set.lastIndex;
    } else if (char === "*") tokens.push({ kind: "star" });
    else if (char === "?") tokens.push({ kind: "any" });
    else tokens.push({ kind: "char", char });
  }
  return tokens;
}

/** Reads `[...]` from its `[`; a `]` right after `[` or `[!` belongs to the set. Undefined where it does not close. */
function readSet(chars: readonly string[], open: number): { token: CharSet; lastIndex: number } | undefined {
  const negated = chars[open + 1] === "!";
  const first = open + (negated ? 2 : 1);
  const close = chars.indexOf("]", first + 1);
  if (close < 0) return undefined;
  const ranges: [string, string][] = [];
  for (let at = first; at < close; at += 1) {
    const low = chars[at] ?? "";
    if (chars[at + 1] === "-" && at + 2 < close) {
      ranges.push([low, chars[at + 2] ?? ""]);
      at += 2;
    } else ranges.push([low, low]);
  }
  return { token: { kind: "set", negated, ranges }, lastIndex: close };
}

function matchSegment(token: SegmentToken, segment: string): boolean {
  return token.kind === "segment" && matchRun(token.tokens, Array.from(segment), isStar, matchChar);
}

function matchChar(token: CharToken, char: string): boolean {
  switch (token.kind) {
    case "star":
    case "any":
      return true;
    case "char":
      return token.char === char;
    case "set":
      return inRanges(token.ranges, char) !== token.negated;
  }
}

function inRanges(ranges: CharSet["ranges"], char: string): boolean {
  const point = char.codePointAt(0) ?? 0;
  return ranges.some(([low, high]) => (low.codePointAt(0) ?? 0) <= point && point <= (high.codePointAt(0) ?? 0));
}

const isStar = (token: CharToken): boolean => token.kind === "star";
const isGlobstar = (token: SegmentToken): boolean => token.kind === "globstar";

/**
 * Matches items against tokens, of which some stand for any run. Only the last run met is ever widened, so the work is
 * bounded by tokens x items: no pattern can make it explode.
 */
function matchRun<Token, Item>(
  tokens: readonly Token[],
  items: readonly Item[],
  isRun: (token: Token) => boolean,
  matchOne: (token: Token, item: Item) => boolean,
): boolean {
  let token = 0;
  let item = 0;
  let runToken = -1;
  let runItem = 0;
  while (item < items.length) {
    const current = tokens[token];
    const value = items[item];
    if (current !== undefined && isRun(current)) {
      runToken = token;
      runItem = item;
      token += 1;
    } else if (current !== undefined && value !== undefined && matchOne(current, value)) {
      token += 1;
      item += 1;
    } else if (runToken >= 0) {
      runItem += 1;
      item = runItem;
      token = runToken + 1;
    } else return false;
  }
  return tokens.slice(token).every(isRun);
}
