import { join } from "node:path";
import type { Snapshot } from "../snapshot/snapshot.ts";
import type { FillItem } from "./fill-content.ts";

/** All files that were brought in, those from the cache too: they are seen to be there, and left. */
export function* itemsOfSnapshot({ objects, records, folder }: Snapshot): Generator<FillItem> {
  for (let row = 0; row < objects.count; row += 1) {
    const contentId = objects.contentId(row);
    const md5 = objects.hash(row);
    if (contentId === undefined || md5 === undefined) continue;
    const absolutePath = join(folder, objects.path(row));
    yield { contentId, absolutePath, sizeBytes: objects.sizeBytes(row), md5, mark: records?.get(row) };
  }
}
