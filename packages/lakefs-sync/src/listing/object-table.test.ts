import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { ObjectTable, type ObjectRecord } from "./object-table.ts";

const md5 = "0123456789abcdef0123456789abcdef";
const plain = { sizeBytes: 1, contentType: "text/csv", metadata: {} };

const records = fc.uniqueArray(
  fc.record({
    path: fc.string({ minLength: 1 }).filter((text) => text.isWellFormed()),
    sizeBytes: fc.maxSafeNat(),
    checksum: fc.constantFrom(md5, md5.toUpperCase(), "", "abc-3", "abc-4"),
    contentType: fc.constantFrom("", "text/csv", "text/csv\0[]"),
    metadata: fc.constantFrom({}, { a: "1" }, { a: "1", b: "" }),
  }),
  { selector: (record) => record.path },
);

property.prop([records])("every object comes back as it was added", (all) => {
  const table = new ObjectTable("in/");
  for (const record of all) table.add(record.path, record);
  const wanted = all.map((record) => ({
    ...record,
    key: `in/${record.path}`,
    hash: record.checksum.length === 32 ? md5 : undefined,
  }));
  expect([...table.entries()]).toEqual(wanted);
  expect(all.map((record) => table.find(record.path))).toEqual(all.map((_, row) => row));
});

test("case B07: a hash that was learned stands beside an opaque checksum, and none beside an MD5", () => {
  const table = new ObjectTable("");
  table.add("a", { ...plain, checksum: "abc-3" });
  table.add("b", { ...plain, checksum: md5 });
  table.learnHash(0, md5);
  expect([table.checksum(0), table.hash(0)]).toEqual(["abc-3", md5]);
  expect(() => table.learnHash(1, md5.toUpperCase())).toThrow("checksum");
});

test.for<[Partial<ObjectRecord>, string | undefined]>([
  [{}, md5],
  [{ sizeBytes: 2 }, undefined],
  [{ checksum: "abc-4" }, undefined],
  [{ checksum: "" }, undefined],
])("case B07: only an equal record has the known content: %j", ([difference, wanted]) => {
  const known = new ObjectTable("in/");
  known.add("a", { ...plain, checksum: difference.checksum === "" ? "" : "abc-3" });
  known.learnHash(0, md5);
  const other = new ObjectTable("in/");
  other.add("a", { ...plain, checksum: "abc-3", ...difference });
  other.learnHashes(known);
  expect(other.hash(0)).toBe(wanted);
});

test("case N06 case N07: a path is found in the form that the disk takes for the same", () => {
  const folding = new ObjectTable("", { foldsCase: true, normalises: true });
  const exact = new ObjectTable("");
  for (const table of [folding, exact]) table.add("R/caf\u00e9", { ...plain, checksum: md5 });
  expect([folding.find("r/CAFE\u0301"), exact.find("r/CAFE\u0301")]).toEqual([0, undefined]);
  expect(folding.path(0)).toBe("R/caf\u00e9");
});
