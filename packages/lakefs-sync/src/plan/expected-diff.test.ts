import { expect, test } from "vitest";
import type { ListedObject } from "../listing/object-table.ts";
import { diffChecker, expectUpload, type ExpectedDiff } from "./expected-diff.ts";
import type { PlannedUpload } from "./plan.ts";

const attributes = { contentType: "text/csv", metadata: { a: "1" } };
const replaces: ListedObject = {
  path: "x",
  key: "in/x",
  sizeBytes: 3,
  checksum: "abc-2",
  hash: undefined,
  ...attributes,
};
const upload: PlannedUpload = { path: "x", key: "in/x", sizeBytes: 3, hash: "h", attributes, replaces };
const stored = {
  path: "in/x",
  path_type: "object",
  checksum: "abc-2",
  physical_address: "",
  size_bytes: 3,
  content_type: "text/csv",
  metadata: { a: "1" },
} as const;

test("case B17: an upload whose record is the one that it replaces shows in no diff", () => {
  const expected: ExpectedDiff = new Map();
  expectUpload(expected, upload, stored);
  expect(expected.size).toBe(0);
});

test.for([
  { checksum: "abc-3" },
  { size_bytes: 4 },
  { content_type: "x/y" },
  { metadata: { a: "2" } },
  { metadata: {} },
])("case B17: a record that differs in %o shows as changed", (difference) => {
  const expected: ExpectedDiff = new Map();
  expectUpload(expected, upload, { ...stored, ...difference });
  expect([...expected]).toEqual([["in/x", "changed"]]);
});

test("a new file shows as added", () => {
  const expected: ExpectedDiff = new Map();
  expectUpload(expected, { ...upload, replaces: undefined }, stored);
  expect([...expected]).toEqual([["in/x", "added"]]);
});

test("rule T13 case L14: a path that was not planned, another kind of change and a missing one are differences", () => {
  const checker = diffChecker(
    new Map([
      ["in/x", "changed"],
      ["in/y", "removed"],
      ["in/z", "added"],
    ]),
  );
  const path_type = "object";
  expect(checker.check({ path: "in/x", path_type, type: "changed" })).toBeUndefined();
  expect(checker.check({ path: "in/y", path_type, type: "changed" })).toContain("planned: removed");
  expect(checker.check({ path: "other/x", path_type, type: "added" })).toContain("planned: nothing");
  expect(checker.missing()).toEqual(["in/z (planned: added, not seen)"]);
});
