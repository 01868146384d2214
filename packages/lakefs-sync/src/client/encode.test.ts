import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { encodeTarget } from "./encode.ts";

const keys = [
  "trip data/2024 01.csv",
  " lead",
  "trail ",
  "day=2026-01-01/größe.csv",
  "数据/表.parquet",
  "🎵.wav",
  "a\u2028b",
  "100%.txt",
  "a%2Fb",
  "%41",
  "A",
  "a+b",
  "a b",
  "q?x=1#f",
  "a&b;c",
  `a'b"c`,
];

test("case N09 case N10 case N11: every key decodes to itself, once, in a query and in a path", () => {
  for (const key of keys) {
    const url = new URL(encodeTarget("/api/v1", ["repositories", key], { path: key }), "http://h");
    expect(url.searchParams.get("path")).toBe(key);
    expect(decodeURIComponent(url.pathname.split("/")[4] ?? "")).toBe(key);
  }
});

test("case N11: different keys stay different", () => {
  expect(new Set(keys.map((key) => encodeTarget("", ["x"], { path: key }))).size).toBe(keys.length);
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
