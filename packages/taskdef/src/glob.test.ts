import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { compileGlob } from "./glob.ts";

/** pattern, what it matches, what it does not match */
const TABLE: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["a.txt", ["a.txt"], ["b.txt", "x/a.txt", "a.txt/b", "A.txt"]],
  ["*", ["a", ".hidden", "a.b"], ["a/b"]],
  ["*.csv", ["a.csv", ".csv", "a.b.csv"], ["a.CSV", "x/a.csv", "a.csv.gz"]],
  ["a*", ["a", "ab", "a.b"], ["ba", "a/b"]],
  ["*a*", ["a", "bab"], ["b"]],
  ["a*b*c", ["abc", "aXbYc", "abcbc"], ["ab", "abcd"]],
  ["?", ["a", "."], ["", "ab"]],
  ["a?c", ["abc", "a.c", "a\u{1F600}c"], ["ac", "abbc", "a/c"]],
  ["??", ["ab"], ["a", "abc"]],
  ["[abc]", ["a", "b", "c"], ["d", "A", "abc"]],
  ["[a-c]x", ["ax", "bx", "cx"], ["dx", "-x"]],
  ["[!a-c]x", ["dx", "-x", ".x"], ["ax", "x"]],
  ["[]]", ["]"], ["[]", "a"]],
  ["[!]]", ["a"], ["]"]],
  ["[a-]", ["a", "-"], ["b"]],
  ["[-a]", ["a", "-"], ["b"]],
  ["[z-a]", [], ["a", "m", "z", "-"]],
  ["[^a]", ["^", "a"], ["b"]],
  ["[a!]", ["a", "!"], ["b"]],
  ["[a-c0-9_]", ["b", "5", "_"], ["d", "-"]],
  ["[abc", ["[abc"], ["a"]],
  ["[]", ["[]"], ["["]],
  ["[*]", ["*"], ["a"]],
  ["[[]x", ["[x"], ["x"]],
  ["{a,b}", ["{a,b}"], ["a", "b"]],
  ["!(a)", ["!(a)"], ["b"]],
  ["+(a|b)", ["+(a|b)"], ["a"]],
  ["!a", ["!a"], ["b"]],
  ["a\\*", ["a\\", "a\\b"], ["a*"]],
  ["a+b.c$", ["a+b.c$"], ["aab.c", "a+bxc$"]],
  ["**", ["a", "a/b", ".x/.y/z"], []],
  ["**/*", ["a", "a/b/c"], []],
  ["**/a", ["a", "x/a", "x/y/a"], ["xa", "a/b"]],
  ["a/**", ["a/b", "a/b/c", "a/.x"], ["a", "ab/c"]],
  ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/xb", "b", "ab"]],
  ["a/**/**/b", ["a/b", "a/x/b", "a/x/y/z/b"], ["a/b/c"]],
  ["**/a/**/b", ["a/b", "x/a/y/b", "a/a/b/b"], ["a", "b/a"]],
  ["a**b", ["ab", "axxb"], ["a/b"]],
  ["**a/b", ["a/b", "xa/b"], ["x/a/b"]],
  ["raw/**/*.parquet", ["raw/a.parquet", "raw/x/y/.parquet"], ["raw/a.csv", "a.parquet", "raw.parquet"]],
  ["*/*", ["a/b"], ["a", "a/b/c"]],
  ["*/**", ["a/b", "a/b/c"], ["a"]],
  ["ä", ["ä"], ["a\u0308", "Ä"]],
];

describe("the documented meaning of a glob", () => {
  test.each(TABLE)("%j matches and refuses as written down", (pattern, matching, other) => {
    const glob = compileGlob(pattern);
    expect(matching.filter((path) => !glob.matches(path))).toEqual([]);
    expect(other.filter((path) => glob.matches(path))).toEqual([]);
  });

  test("the table holds at least 30 patterns", () => {
    expect(TABLE.length).toBeGreaterThanOrEqual(30);
  });
});

/** A slow matcher that follows the meaning literally, by recursion over characters and segments. */
function slowMatches(pattern: string, path: string): boolean {
  return slowSegments(pattern.split("/"), path.split("/"));
}

function slowSegments(patterns: string[], segments: string[]): boolean {
  const [first, ...rest] = patterns;
  if (first === undefined) return segments.length === 0;
  if (first === "**") {
    if (rest.length === 0) return segments.length > 0;
    return segments.some((_, skipped) => slowSegments(rest, segments.slice(skipped)));
  }
  const [segment, ...others] = segments;
  return segment !== undefined && slowChars([...first], [...segment]) && slowSegments(rest, others);
}

function slowChars(pattern: string[], text: string[]): boolean {
  const [first] = pattern;
  if (first === undefined) return text.length === 0;
  if (first === "*") return [...text, ""].some((_, taken) => slowChars(pattern.slice(1), text.slice(taken)));
  if (text.length === 0) return false;
  const end = first === "[" ? pattern.indexOf("]", pattern[1] === "!" ? 3 : 2) : -1;
  if (end >= 0) {
    const negated = pattern[1] === "!";
    const isIn = slowSet(pattern.slice(negated ? 2 : 1, end), text[0] ?? "");
    return isIn !== negated && slowChars(pattern.slice(end + 1), text.slice(1));
  }
  return (first === "?" || first === text[0]) && slowChars(pattern.slice(1), text.slice(1));
}

function slowSet(set: string[], char: string): boolean {
  if (set.length === 0) return false;
  if (set.length >= 3 && set[1] === "-") {
    return (char >= (set[0] ?? "") && char <= (set[2] ?? "")) || slowSet(set.slice(3), char);
  }
  return set[0] === char || slowSet(set.slice(1), char);
}

const piece = (units: string[], max: number) => fc.array(fc.constantFrom(...units), { minLength: 1, maxLength: max });
const segment = piece(["a", "b", "-", "]", "!", "[", "."], 4).map((chars) => chars.join(""));
const patternPart = fc.oneof(
  fc.constant("**"),
  piece(["a", "b", "*", "?", "[", "]", "!", "-", "[ab]", "[!a]", "[a-b]", "."], 5).map((chars) => chars.join("")),
);
const paths = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
const patterns = fc.array(patternPart, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));

describe("properties of globs", () => {
  property.prop([patterns, paths], { numRuns: 3000 })("the fast matcher agrees with the slow one", (pattern, path) => {
    expect(compileGlob(pattern).matches(path)).toBe(slowMatches(pattern, path));
  });

  property.prop([fc.array(piece(["a", "b", ".", "-", "{", "\\", "("], 4), { minLength: 1, maxLength: 3 })])(
    "a path without special characters matches itself",
    (parts) => {
      const path = parts.map((chars) => chars.join("")).join("/");
      expect(compileGlob(path).matches(path)).toBe(true);
    },
  );

  property.prop([fc.string(), fc.string()])("no pattern and no path makes it throw", (pattern, path) => {
    expect(typeof compileGlob(pattern).matches(path)).toBe("boolean");
  });

  test("patterns that make backtracking matchers explode end within a second", () => {
    const startMs = performance.now();
    expect(compileGlob(`${"*a".repeat(200)}b`).matches("a".repeat(2000))).toBe(false);
    expect(compileGlob(`${"**/a/".repeat(200)}b`).matches(`${"a/".repeat(500)}c`)).toBe(false);
    expect(performance.now() - startMs).toBeLessThan(1000);
  });
});
