import { lstatSync } from "node:fs";
import { join } from "node:path";
import { probeCtime } from "../folder/probe-ctime.ts";
import { changed, markOf } from "../folder/read-file.ts";
import type { ObjectTable } from "../listing/object-table.ts";
import { StatRecords } from "./stat-records.ts";

/** Files looked at between two looks at waiting messages. */
const filesPerBreath = 512;

/**
 * Takes the stat records of files that stand in their final place, and asks the disk whether they can lie: undefined
 * where a later change might show the same ctime (rule T5). Renaming the folder changes no file's record.
 */
export async function recordFiles(
  folder: string,
  objects: ObjectTable,
  breathe: () => Promise<void>,
): Promise<StatRecords | undefined> {
  const records = new StatRecords(objects.count);
  for (let row = 0; row < objects.count; row += 1) {
    const path = objects.path(row);
    const stats = lstatSync(join(folder, path), { bigint: true });
    if (!stats.isFile() || Number(stats.size) !== objects.sizeBytes(row)) throw changed(path);
    records.set(row, markOf(stats));
    if (row % filesPerBreath === filesPerBreath - 1) await breathe();
  }
  return (await probeCtime(folder, records.latestCtimeNs)) ? records : undefined;
}
