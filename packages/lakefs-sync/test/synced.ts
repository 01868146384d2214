import { join } from "node:path";
import type { Snapshot } from "../src/snapshot/snapshot.ts";
import type { JobContext } from "../src/transfer/context.ts";
import { syncIn } from "../src/transfer/sync-in.ts";
import { fakeLakefs, fakeObject, type FakeFaults, type FakeObject } from "./fake-lakefs.ts";
import { contextTo } from "./job-context.ts";
import { tempFolder } from "./temp-folder.ts";

/** A commit `c1` of some files below `in/` on a fake server, brought into a new folder. */
export async function synced(
  files: Record<string, string | Buffer | FakeObject>,
  faults: FakeFaults = {},
): Promise<{ readonly context: JobContext; readonly snapshot: Snapshot; readonly folder: string }> {
  const objects = Object.entries(files).map(([path, content]): [string, FakeObject] => [
    `in/${path}`,
    typeof content === "string" || Buffer.isBuffer(content) ? fakeObject(content) : content,
  ]);
  const { endpoint } = await fakeLakefs({ c1: new Map(objects) }, faults);
  const context = contextTo(endpoint);
  const folder = join(tempFolder(), "work");
  const snapshot = await syncIn(context, { repository: "r", commitId: "c1", prefix: "in", folder });
  return { context, snapshot, folder };
}
