// Lists a commit of many keys, plans it against a folder of the same files with one changed, and says what memory that
// took. In a process of its own, so that its memory is nobody else's.
import { LakefsClient } from "../src/client/client.ts";
import { exactDisk } from "../src/keys/disk-traits.ts";
import { listCommit } from "../src/listing/list-projection.ts";
import { projectionDigest } from "../src/plan/digest.ts";
import { planChanges } from "../src/plan/plan.ts";
import { FileTable } from "../src/transfer/file-table.ts";

const [endpoint = ""] = process.argv.slice(2);
const client = new LakefsClient({ endpoint, accessKeyId: "a", secretAccessKey: "b" });
const context = { client, signal: new AbortController().signal, slotCount: 1, report: () => undefined };
const rules = { prefix: "data/", excludedPaths: new Set<string>(), disk: exactDisk };
const listing = await listCommit(context, { repository: "r", commitId: "c1" }, rules);
const { objects } = listing;
const files = new FileTable(objects);
for (let row = 0; row < objects.count; row += 1) {
  const { path, sizeBytes, hash = "" } = objects.entry(row);
  const isChanged = row === objects.count - 1;
  const mark = { inode: BigInt(row), sizeBytes, mtimeNs: 1n, ctimeNs: 1n };
  files.add({ path, sizeBytes, hash: isChanged ? "f".repeat(32) : hash, mark });
}
const plan = planChanges({ base: objects, folder: files });
const digest = projectionDigest(files.contents(), files.count);
await client.close();
const told = { count: objects.count, defects: listing.defects.length, uploads: plan.uploads.length, digest };
process.stdout.write(JSON.stringify({ ...told, maxResidentKibibytes: process.resourceUsage().maxRSS }));
