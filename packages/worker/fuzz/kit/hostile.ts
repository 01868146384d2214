import * as fc from "fast-check";

/** A text that must never come out of anything: every message is searched for it. Long enough to be no accident. */
export const CANARY = "cAnArY/9f3+7b1d5e";
/** A path of this host that must not come out of a reason (rule R3). */
export const HOST_FOLDER = "/srv/host-only/workspaces/slot";

/** What has broken parsers before, one of each kind. */
const ODD_TEXTS: readonly string[] = [
  "",
  " ",
  ".",
  "..",
  "../..",
  "/",
  "//",
  "\0",
  "a\0b",
  "a\nb\r\nc",
  "\ud800",
  "a\udc00b",
  "\u001b[2J\u001b]0;title\u0007",
  "\u009b31m",
  "\u202egnp.exe",
  "\u2028\u2029",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "null",
  "NaN",
  "Infinity",
  "-0",
  "1e309",
  "00",
  "0x10",
  "9007199254740993",
  "${jndi:ldap://x}",
  "%2e%2e%2f",
  "%00",
  "main~1",
  "..\\..\\windows",
  "C:\\",
  "e\u0301",
  "\u00e9",
  "👩‍👩‍👧",
  "İ",
  `https://user:${CANARY}@store.example/x?X-Amz-Signature=${encodeURIComponent(CANARY)}`,
];

const REPEATED = ["a", "/", ".", "../", "\0", "[", '{"a":', "\\", "\n", " ", "%", "http://", "a/", "\u0301", "-", "9"];
const MAX_REPEATS = 3000;

const repeated = fc
  .tuple(fc.constantFrom(...REPEATED), fc.integer({ min: 2, max: MAX_REPEATS }), fc.constantFrom("", "x", "/", "\n"))
  .map(([unit, count, end]) => unit.repeat(count) + end);

/** A text as somebody who means harm, or a broken program, would send it. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...ODD_TEXTS), { maxLength: 4 }).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: repeated },
);

/** A list or object of many levels. */
const deep = fc
  .tuple(fc.integer({ min: 1, max: 1500 }), fc.boolean())
  .map(([depth, isList]) => JSON.parse(isList ? nested("[", "]", depth) : nested('{"a":', "}", depth)) as unknown);

function nested(open: string, close: string, depth: number): string {
  return `${open.repeat(depth)}${open === "[" ? "" : "1"}${close.repeat(depth)}`;
}

const scalar: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, -0, 2 ** 53, 1e308, [], {}),
  fc.integer(),
);

/** Any JSON value, with own keys like `__proto__` and levels without end. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 3, arbitrary: fc.array(fc.tuple(hostileText, scalar), { maxLength: 4 }).map(Object.fromEntries) },
  { weight: 1, arbitrary: deep },
);

/** Values that cross a channel with structured clones: what JSON cannot hold, too. */
export const hostileClone: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: hostileJson },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, Number.NaN, Infinity, 10n, new Date(Number.NaN)) },
  { weight: 1, arbitrary: fc.constant(undefined).map(cycle) },
  { weight: 1, arbitrary: hostileText.map((text) => new Map([[text, new Set([text])]])) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 8 }) },
);

function cycle(): unknown {
  const self: Record<string, unknown> = {};
  self["self"] = self;
  return self;
}
