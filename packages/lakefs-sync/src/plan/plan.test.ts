import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { newFileAttributes } from "../client/upload-shape.ts";
import type { DiskTraits } from "../keys/disk-traits.ts";
import { ObjectTable } from "../listing/object-table.ts";
import { projectionDigest, type DigestedFile } from "./digest.ts";
import { isEmptyPlan, planChanges, type ChangePlan, type ProjectedFile } from "./plan.ts";

const attributes = { contentType: "text/csv", metadata: { owner: "me" } };

/** An object of the base; without a hash its content is unknown. */
interface BaseObject {
  readonly path: string;
  readonly hash: string | undefined;
  readonly sizeBytes: number;
}

function baseOf(path: string, hash: string | undefined, sizeBytes = 1): BaseObject {
  return { path, hash, sizeBytes };
}

function tableOf(base: readonly BaseObject[], disk?: DiskTraits): ObjectTable {
  const table = new ObjectTable("in/", disk);
  for (const { path, hash, sizeBytes } of base) {
    table.add(path, { sizeBytes, checksum: hash ?? "abc-3", ...attributes });
  }
  return table;
}

function plan(base: readonly BaseObject[], folder: readonly ProjectedFile[]): ChangePlan {
  return planChanges({ base: tableOf(base), folder });
}

/** What the branch shows after the plan. */
function applied(base: readonly BaseObject[], changes: ChangePlan): Map<string, string> {
  const objects = new Map(base.map((entry) => [`in/${entry.path}`, entry.hash ?? "?"]));
  for (const entry of changes.deletes) objects.delete(entry.key);
  for (const { key, hash } of changes.uploads) objects.set(key, hash ?? "?");
  return objects;
}

const [h0, h1, h2] = ["0", "1", "2"].map((digit) => digit.repeat(32)) as [string, string, string];
const hashes = fc.constantFrom(h0, h1, h2);
const paths = fc.constantFrom("a", "b", "c/d", "c/e", "f/g/h", ".i");
const folders = fc.uniqueArray(fc.record({ path: paths, hash: hashes, sizeBytes: fc.constantFrom(0, 1) }), {
  selector: (file) => file.path,
});
const bases = fc.uniqueArray(
  fc.record({ path: paths, hash: fc.option(hashes, { nil: undefined }), sizeBytes: fc.constantFrom(0, 1) }),
  { selector: (file) => file.path },
);

property.prop([bases, folders])("rule T4: the plan applied to the base gives exactly the folder", (given, folder) => {
  const changes = plan(given, folder);
  const wanted = new Map(folder.map((file) => [`in/${file.path}`, file.hash]));
  expect(applied(given, changes)).toEqual(wanted);
  expect(changes.unchangedCount + changes.uploads.length).toBe(folder.length);
});

property.prop([folders])("rule T5: a folder that equals its base needs nothing", (folder) => {
  const base = folder.map((file) => baseOf(file.path, file.hash, file.sizeBytes));
  expect(isEmptyPlan(plan(base, folder.toReversed()))).toBe(true);
});

test("case N19: a file truncated to no bytes is a change", () => {
  const changes = plan([baseOf("log.txt", h1, 5)], [{ path: "log.txt", sizeBytes: 0, hash: h0 }]);
  expect(changes.uploads.map((upload) => upload.key)).toEqual(["in/log.txt"]);
});

test("rule T12: a changed file keeps content type and metadata, a new one gets the constant ones", () => {
  const changes = plan(
    [baseOf("a", h1)],
    [
      { path: "a", sizeBytes: 1, hash: h2 },
      { path: "b", sizeBytes: 1, hash: h2 },
    ],
  );
  expect(changes.uploads.map((upload) => upload.attributes)).toEqual([attributes, newFileAttributes]);
});

test("rule T12: a file that the base lacks and the input had keeps the input's record and key", () => {
  const known = (): { key: string; attributes: typeof attributes } => ({ key: "in/A", attributes });
  const changes = planChanges({ base: tableOf([]), folder: [{ path: "a", sizeBytes: 1, hash: h1 }], known });
  expect(changes.uploads[0]).toMatchObject({ key: "in/A", attributes });
});

test("case B07: an object whose content is not known counts as changed", () => {
  expect(plan([baseOf("a", undefined)], [{ path: "a", sizeBytes: 1, hash: h1 }]).uploads.length).toBe(1);
});

test("case N07: on a normalising disk a file in another form is published under the key that came in", () => {
  const disk = { foldsCase: false, normalises: true };
  const base = [baseOf("caf\u00e9", h1)];
  const folder = [{ path: "cafe\u0301", sizeBytes: 1, hash: h2 }];
  const changes = planChanges({ base: tableOf(base, disk), folder });
  expect(changes.uploads.map((upload) => upload.key)).toEqual(["in/caf\u00e9"]);
  expect(changes.deletes).toEqual([]);
  expect(plan(base, folder).deletes.length).toBe(1);
});

const digestOf = (files: readonly DigestedFile[]): string => projectionDigest(files, files.length);

property.prop([folders])("a digest does not depend on the order of the files", (folder) => {
  expect(digestOf(folder.toReversed())).toBe(digestOf(folder));
});

property.prop([folders, folders])("a digest is equal exactly where the projections are", (left, right) => {
  const shown = (files: readonly DigestedFile[]): string[] =>
    files.map((f) => `${f.path} ${f.sizeBytes} ${f.hash}`).toSorted();
  const equal = JSON.stringify(shown(left)) === JSON.stringify(shown(right));
  expect(digestOf(left) === digestOf(right)).toBe(equal);
});
