// Brings large files in, puts others of the same size in their place and stages them, and says what memory that took.
// In a process of its own, so that its memory is nobody else's.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LakefsClient } from "../src/client/client.ts";
import { projectFolder } from "../src/transfer/project.ts";
import { stage } from "../src/transfer/stage.ts";
import { syncIn } from "../src/transfer/sync-in.ts";

const [endpoint = "", fileCount = "", sizeBytes = ""] = process.argv.slice(2);
const client = new LakefsClient({ endpoint, accessKeyId: "a", secretAccessKey: "b" });
const context = {
  client,
  signal: new AbortController().signal,
  slotCount: Number(fileCount),
  report: () => undefined,
};
const root = mkdtempSync(join(tmpdir(), "lakefs-sync-"));
try {
  const folder = join(root, "work");
  const snapshot = await syncIn(context, { repository: "r", commitId: "c1", prefix: "in", folder });
  for (let index = 0; index < Number(fileCount); index += 1) {
    writeFileSync(join(folder, `f${index}`), String(index));
    truncateSync(join(folder, `f${index}`), Number(sizeBytes));
  }
  const projection = await projectFolder(context, snapshot);
  const { uploadedSizeBytes } = await stage(context, snapshot, projection, { branch: "stg", baseCommitId: "c1" });
  const { maxRSS: maxResidentKibibytes } = process.resourceUsage();
  process.stdout.write(JSON.stringify({ count: snapshot.objects.count, uploadedSizeBytes, maxResidentKibibytes }));
} finally {
  await client.close();
  rmSync(root, { recursive: true, force: true });
}
