import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { compareKeys } from "../src/lakefs/keys.ts";
import { identity, type Entry } from "../src/lakefs/model.ts";
import { applyChanges, type Change } from "../src/lakefs/tree/apply.ts";
import { diffTrees } from "../src/lakefs/tree/diff.ts";
import { mergeTrees, type MergeStrategy } from "../src/lakefs/tree/merge.ts";
import { entriesFrom, findEntry } from "../src/lakefs/tree/read.ts";
import { openTrees, type TreeStore } from "../src/lakefs/tree/store.ts";
import { schema } from "../src/lakefs/schema.ts";
import { openDatabase } from "../src/store/database.ts";

/** A tree as the model has it: the content of each path. */
type Model = ReadonlyMap<string, string>;

function newTrees(): TreeStore {
  const db = openDatabase(":memory:", false);
  db.exec(schema);
  db.run("INSERT INTO repositories VALUES ('r', 'local://x', 'main', 0, 0)");
  return openTrees(db, "r");
}

function entry(path: string, content: string): Entry {
  const common = { address: "data/x/y", mtimeS: 1, contentType: "text/plain", metadata: {} };
  return { ...common, path, checksum: content, sizeBytes: content.length };
}

// Thousands of names, so that trees have several ranges; few of them change.
const name = fc.oneof(
  fc.integer({ min: 0, max: 3_000 }).map((at) => `file-${at}`),
  fc.constantFrom("\uFFFD", "\u{10000}", "é", "a", "a/b"),
);
const content = fc.constantFrom("1", "2", "3");
const changes = fc.dictionary(name, fc.option(content), { maxKeys: 60 }).map((all) => new Map(Object.entries(all)));
const wide = fc.constant(new Map(Array.from({ length: 2_000 }, (_, at) => [`file-${at}`, "1"])));

function apply(model: Model, changed: ReadonlyMap<string, string | null>): Model {
  const next = new Map(model);
  for (const [path, value] of changed) {
    if (value === null) next.delete(path);
    else next.set(path, value);
  }
  return next;
}

function asChanges(changed: ReadonlyMap<string, string | null>): Change[] {
  return [...changed]
    .map(([path, value]) => ({ path, entry: value === null ? null : entry(path, value) }))
    .toSorted((a, b) => compareKeys(a.path, b.path));
}

function read(trees: TreeStore, treeId: string): [string, string][] {
  return [...entriesFrom(trees, treeId, "")].map((one) => [one.path, one.checksum]);
}

function sorted(model: Model): [string, string][] {
  return [...model].toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

test.prop([fc.option(wide), changes, changes], { numRuns: 60 })(
  "a tree with changes applied holds what a map would, and the same content from the same entries has the same id",
  (base, first, second) => {
    const trees = newTrees();
    const start = base ?? new Map<string, string>();
    const startId = applyChanges(trees, "", asChanges(start)).treeId;
    const one = applyChanges(trees, startId, asChanges(first)).treeId;
    const two = applyChanges(trees, one, asChanges(second)).treeId;
    const model = apply(apply(start, first), second);
    expect(read(trees, two)).toEqual(sorted(model));
    expect(applyChanges(trees, startId, asChanges(new Map([...first, ...second]))).treeId).toBe(two);
    for (const path of [...first.keys(), ...second.keys(), "file-7"]) {
      expect(findEntry(trees, two, path)?.checksum).toBe(model.get(path));
    }
  },
);

test.prop([fc.option(wide), changes, changes], { numRuns: 60 })(
  "a diff is exactly what differs",
  (base, left, right) => {
    const trees = newTrees();
    const start = base ?? new Map<string, string>();
    const startId = applyChanges(trees, "", asChanges(start)).treeId;
    const [leftModel, rightModel] = [apply(start, left), apply(start, right)];
    const leftId = applyChanges(trees, startId, asChanges(left)).treeId;
    const rightId = applyChanges(trees, startId, asChanges(right)).treeId;
    const found = [...diffTrees(trees, leftId, rightId)].map((one) => [
      one.path,
      one.left?.checksum,
      one.right?.checksum,
    ]);
    const all = sorted(new Map([...leftModel, ...rightModel])).map(([path]) => path);
    const expected = all
      .filter((path) => leftModel.get(path) !== rightModel.get(path))
      .map((path) => [path, leftModel.get(path), rightModel.get(path)]);
    expect(found).toEqual(expected);
  },
);

function mergeModel(base: Model, ours: Model, theirs: Model, strategy: MergeStrategy): Model | undefined {
  const result = new Map<string, string>();
  for (const path of new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])) {
    const [was, our, their] = [base.get(path), ours.get(path), theirs.get(path)];
    const isConflict = our !== was && their !== was && our !== their;
    if (isConflict && strategy === "none") return undefined;
    const oursWins = isConflict ? strategy === "dest-wins" : their === was;
    const kept = oursWins ? our : their;
    if (kept !== undefined) result.set(path, kept);
  }
  return result;
}

const strategies = fc.constantFrom<MergeStrategy>("none", "dest-wins", "source-wins");

test.prop([fc.option(wide), changes, changes, strategies], { numRuns: 60 })(
  "a three-way merge takes what one side changed, and a conflict as the strategy says",
  (base, ours, theirs, strategy) => {
    const trees = newTrees();
    const start = base ?? new Map<string, string>();
    const baseId = applyChanges(trees, "", asChanges(start)).treeId;
    const merged = mergeTrees(trees, {
      base: baseId,
      destination: applyChanges(trees, baseId, asChanges(ours)).treeId,
      source: applyChanges(trees, baseId, asChanges(theirs)).treeId,
      strategy,
    });
    const expected = mergeModel(start, apply(start, ours), apply(start, theirs), strategy);
    expect(merged === undefined ? undefined : read(trees, merged)).toEqual(
      expected === undefined ? undefined : sorted(expected),
    );
  },
);

test.prop([fc.string({ unit: "binary" }), fc.string({ unit: "binary" })])(
  "keys are ordered by their UTF-8 bytes",
  (a, b) => {
    expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
  },
);

test("an identity is size, checksum, content type and metadata, not time and address", () => {
  const one = { ...entry("p", "1"), metadata: { a: "1", b: "2" } };
  expect(identity({ ...one, mtimeS: 9, address: "other", path: "q", metadata: { b: "2", a: "1" } })).toBe(
    identity(one),
  );
  for (const change of [{ sizeBytes: 9 }, { checksum: "x" }, { contentType: "x" }, { metadata: { a: "1" } }]) {
    expect(identity({ ...one, ...change })).not.toBe(identity(one));
  }
});
