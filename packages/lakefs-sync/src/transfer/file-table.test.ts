import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { ObjectTable } from "../listing/object-table.ts";
import { FileTable } from "./file-table.ts";

const [h0, h1] = ["0", "1"].map((digit) => digit.repeat(32)) as [string, string];
const paths = fc.constantFrom("a", "b", "c/d", "c/e", "f/g/h", ".i", "gr\u00f6\u00dfe");
const names = fc.uniqueArray(paths);
const files = fc.uniqueArray(
  fc.record({
    path: paths,
    hash: fc.constantFrom(h0, h1),
    sizeBytes: fc.maxSafeNat(),
    inode: fc.bigInt({ min: 0n, max: 2n ** 62n }),
  }),
  { selector: (file) => file.path },
);

property.prop([names, files])(
  "every file comes back as it was added, whatever the objects are",
  (objectPaths, given) => {
    const objects = new ObjectTable("in/");
    for (const path of objectPaths) objects.add(path, { sizeBytes: 1, checksum: h0, contentType: "", metadata: {} });
    const table = new FileTable(objects);
    const marked = given.map(({ path, hash, sizeBytes, inode }) => {
      const mark = { inode, sizeBytes, mtimeNs: inode + 1n, ctimeNs: -inode };
      return { path, hash, sizeBytes, mark };
    });
    for (const file of marked) table.add(file);
    expect([...table]).toEqual(marked.map(({ path, hash, sizeBytes }) => ({ path, sizeBytes, hash })));
    expect([...table.paths()]).toEqual(marked.map((file) => file.path));
    expect(marked.map((file) => table.find(file.path))).toEqual(marked);
    expect(table.count).toBe(marked.length);
    for (const path of objectPaths.filter((name) => !given.some((file) => file.path === name))) {
      expect(table.find(path)).toBeUndefined();
    }
  },
);

test("case N07: a file that the disk knows by another form keeps its own", () => {
  const objects = new ObjectTable("", { foldsCase: true, normalises: true });
  objects.add("caf\u00e9", { sizeBytes: 1, checksum: h0, contentType: "", metadata: {} });
  const table = new FileTable(objects);
  const mark = { inode: 1n, sizeBytes: 1, mtimeNs: 1n, ctimeNs: 1n };
  table.add({ path: "cafe\u0301", hash: h0, sizeBytes: 1, mark });
  expect([...table.paths()]).toEqual(["cafe\u0301"]);
  expect([table.find("cafe\u0301")?.path, table.find("caf\u00e9")]).toEqual(["cafe\u0301", undefined]);
});
