import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../store/database.ts";
import { sha256Of } from "./blobs.ts";
import type { Entry } from "./model.ts";

/**
 * What is wrong in the lakeFS part's store: commits, trees, ranges and files that something refers to and are not
 * there.
 */
export function checkLakefs(db: Database, objects: string): string[] {
  return [...missingTrees(db), ...missingParents(db), ...missingRanges(db), ...missingFiles(db, objects)];
}

function missingTrees(db: Database): string[] {
  const rows = db.all(
    `SELECT c.repository, c.id, c.tree_id FROM commits c
     LEFT JOIN trees t ON t.repository = c.repository AND t.id = c.tree_id WHERE c.tree_id <> '' AND t.id IS NULL`,
  );
  return rows.map((row) => `lakefs.db: commit ${String(row["id"])} has no tree ${String(row["tree_id"])}`);
}

function missingParents(db: Database): string[] {
  const rows = db.all(
    `SELECT c.id, p.value AS parent FROM commits c, json_each(c.parents) p
     LEFT JOIN commits q ON q.repository = c.repository AND q.id = p.value WHERE q.id IS NULL`,
  );
  return rows.map((row) => `lakefs.db: commit ${String(row["id"])} has no parent ${String(row["parent"])}`);
}

function missingRanges(db: Database): string[] {
  const rows = db.all(
    `SELECT t.id, json_extract(p.value, '$.id') AS range FROM trees t, json_each(t.ranges) p
     LEFT JOIN ranges r ON r.repository = t.repository AND r.id = json_extract(p.value, '$.id') WHERE r.id IS NULL`,
  );
  return rows.map((row) => `lakefs.db: tree ${String(row["id"])} has no range ${String(row["range"])}`);
}

function missingFiles(db: Database, objects: string): string[] {
  const findings: string[] = [];
  for (const { path, address } of entries(db)) {
    const sha256 = sha256Of(address);
    if (sha256 === undefined || existsSync(join(objects, sha256.slice(0, 2), sha256))) continue;
    findings.push(`objects: ${path} has no file ${sha256}`);
  }
  return findings;
}

function* entries(db: Database): Generator<Entry> {
  for (const row of db.all("SELECT entries FROM ranges")) {
    const held: readonly Entry[] = JSON.parse(String(row["entries"]));
    yield* held;
  }
  for (const row of db.all("SELECT entry FROM staged WHERE entry IS NOT NULL")) yield JSON.parse(String(row["entry"]));
}
