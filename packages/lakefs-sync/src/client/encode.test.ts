import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { oddKeys } from "../../test/odd-keys.ts";
import { encodeTarget } from "./encode.ts";

test("case N09 case N10 case N11: every key decodes to itself, once, in a query and in a path", () => {
  for (const key of oddKeys) {
    const url = new URL(encodeTarget("/api/v1", ["repositories", key], { path: key }), "http://h");
    expect(url.searchParams.get("path")).toBe(key);
    expect(decodeURIComponent(url.pathname.split("/")[4] ?? "")).toBe(key);
  }
});

test("case N11: different keys stay different", () => {
  expect(new Set(oddKeys.map((key) => encodeTarget("", ["x"], { path: key }))).size).toBe(oddKeys.length);
});

property.prop([fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })])(
  "case N10: any text survives one encoding and one decoding",
  (left, right) => {
    const url = new URL(encodeTarget("/b", ["r"], { left, right }), "http://h");
    expect([url.searchParams.get("left"), url.searchParams.get("right")]).toEqual([left, right]);
  },
);

test("an undefined query value is left out", () => {
  expect(encodeTarget("/b", ["r"], { a: undefined, b: 1, c: false })).toBe("/b/r?b=1&c=false");
});
