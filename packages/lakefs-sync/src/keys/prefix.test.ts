import { expect, test } from "vitest";
import { normalisePrefix, objectInTheWay } from "./prefix.ts";

test.for([
  ["data", "data/"],
  ["data/", "data/"],
  ["/data/", "data/"],
  ["/data", "data/"],
  ["a b/ü", "a b/ü/"],
  ["", ""],
  ["/", ""],
  ["//data//", "data/"],
] as const)("case N16: the prefix %j means the directory %j", ([given, normal]) => {
  expect(normalisePrefix(given)).toBe(normal);
  expect(normalisePrefix(normal)).toBe(normal);
});

test.for(["../x", "a/../b", "a//b", "./a", "a\0b", "x".repeat(256)])(
  "rule I5: the prefix %j can be no directory",
  (prefix) => {
    expect(() => normalisePrefix(prefix)).toThrow(expect.objectContaining({ code: "prefix_invalid", terminal: true }));
  },
);

test("case N17: the object in a prefix' way is the prefix without its slash", () => {
  expect(objectInTheWay("lakes.parquet/")).toBe("lakes.parquet");
  expect(objectInTheWay("")).toBeUndefined();
});
