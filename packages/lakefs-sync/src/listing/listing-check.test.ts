import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import type { DiskTraits } from "../keys/disk-traits.ts";
import { validateListing, type CheckedListing, type ListedKey } from "./listing-check.ts";

const noNames: ReadonlySet<string> = new Set();
const folding: DiskTraits = { foldsCase: true, normalises: true };

function listed(key: string): ListedKey {
  return { key, sizeBytes: 1, checksum: "", contentType: "", metadata: {} };
}

function check(keys: readonly string[], prefix = "in/", disk?: DiskTraits): CheckedListing {
  return validateListing(keys.map(listed), { prefix, excludedPaths: noNames, ...(disk === undefined ? {} : { disk }) });
}

const pathsOf = (listing: CheckedListing): string[] => [...listing.objects.entries()].map((object) => object.path);

test("case N01: dot files are files like all others", () => {
  expect(pathsOf(check(["in/.env.sample", "in/.hidden/x", "in/a.txt"]))).toEqual([".env.sample", ".hidden/x", "a.txt"]);
});

test("case N01 rule T6: only the exact names given are left out", () => {
  const entries = [".marker", ".marker2", "sub/.marker"].map(listed);
  const listing = validateListing(entries, { prefix: "", excludedPaths: new Set([".marker"]) });
  expect(pathsOf(listing)).toEqual([".marker2", "sub/.marker"]);
  expect(listing.leftOutCount).toBe(1);
});

test("case N02 rule T10: a directory marker is a directory and no file", () => {
  const listing = check(["in/", "in/empty/", "in/full/", "in/full/x"]);
  expect(listing.markerDirectories).toEqual(["empty", "full"]);
  expect(pathsOf(listing)).toEqual(["full/x"]);
  expect(listing.defects).toEqual([]);
});

test.for([
  [
    ["in/a", "in/a/b"],
    ["in/a", "in/a/b"],
  ],
  [
    ["in/a/b/c", "in/a"],
    ["in/a", "in/a/b/c"],
  ],
  [
    ["in/a", "in/a/"],
    ["in/a", "in/a/"],
  ],
  [
    ["in/a", "in/a-b", "in/a/b"],
    ["in/a", "in/a/b"],
  ],
] as const)("case N04: %j is refused, naming both", ([keys, named]) => {
  expect(check([...keys]).defects.map((defect) => defect.keys)).toEqual([named]);
});

test.for([
  "in/../evil",
  "in//x",
  "in/./y",
  "in/a\0b",
  "in/x//",
  "in/..",
  `in/${"ä".repeat(128)}`,
  "in/\ud800",
  "in/a/../../b",
])("case N12 rule I5: the key %j is refused", (key) => {
  const listing = check(["in/ok", key]);
  expect(listing.defects).toEqual([{ keys: [key], what: expect.any(String) }]);
  expect(pathsOf(listing)).toEqual(["ok"]);
});

test("case N12: names that only look odd are accepted", () => {
  const keys = [
    "in/...",
    "in/..a",
    "in/a..",
    "in/-",
    "in/a\\b",
    "in/a\nb",
    "in/ ",
    `in/${"x".repeat(255)}`,
    "in/CON",
    "in/a:b",
  ];
  expect(check(keys).defects).toEqual([]);
});

test("case N06: pairs that a folding disk takes for one are refused there, and kept apart elsewhere", () => {
  for (const pair of [
    ["in/R/readme", "in/R/README"],
    ["in/R/a", "in/r/b"],
    ["in/R", "in/r/b"],
  ]) {
    expect(check(pair).defects).toEqual([]);
    expect(check(pair, "in/", folding).defects.length).toBe(1);
  }
});

test("case N07: two Unicode forms of a name are two names, but one on a normalising disk", () => {
  const pair = ["in/caf\u00e9", "in/cafe\u0301"];
  expect(check(pair).defects).toEqual([]);
  expect(check(pair, "in/", folding).defects.length).toBe(1);
});

test("case L19 rule T6: hook files at the root are left out, elsewhere they are files", () => {
  expect(pathsOf(check(["_lakefs_actions/x.yaml", "in/a"], ""))).toEqual(["in/a"]);
  expect(pathsOf(check(["in/_lakefs_actions/x.yaml"]))).toEqual(["_lakefs_actions/x.yaml"]);
});

const segment = fc.stringMatching(/^[a-c.%+ ü]{1,3}$/).filter((text) => text !== "." && text !== "..");
const tree = fc.uniqueArray(fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/")));

property.prop([tree])("rule I5: a listing is refused exactly where one key is a directory of another", (paths) => {
  const clash = paths.some((path) => paths.some((other) => other.startsWith(`${path}/`)));
  const listing = check(paths.map((path) => `in/${path}`));
  expect(listing.defects.length > 0).toBe(clash);
  expect(pathsOf(listing)).toEqual(paths);
});

test("fault G3 case N12: a key that a server lists outside the asked prefix is refused", () => {
  expect(check(["evil/x"]).defects.length).toBe(1);
});
