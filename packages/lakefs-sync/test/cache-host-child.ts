// One of several hosts on one cache: brings commits in again and again, and says what did not have the right bytes.
import { hash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SyncWorker } from "../src/transfer/sync-worker.ts";
import { testSecret } from "./fake-http.ts";

const [endpoint = "", root = "", maxSizeBytes = "", wanted = "{}"] = process.argv.slice(2);
/** MD5 by path, by commit. */
const commits: Record<string, Record<string, string>> = JSON.parse(wanted);
const sync = new SyncWorker({
  connection: { endpoint, accessKeyId: "AKIATEST", secretAccessKey: testSecret },
  cache: { root, maxSizeBytes: Number(maxSizeBytes) },
});
const home = mkdtempSync(join(tmpdir(), "cache-host-"));
const wrong: string[] = [];
for (let round = 0; round < 4; round += 1) {
  for (const [commitId, files] of Object.entries(commits)) {
    const folder = join(home, `${round}-${commitId}`);
    const { workspaceId } = await sync.syncIn({ repository: "r", commitId, prefix: "in", folder });
    for (const [path, md5] of Object.entries(files)) {
      if (hash("md5", readFileSync(join(folder, path)), "hex") !== md5) wrong.push(`${commitId}/${path}`);
    }
    await sync.release({ workspaceId });
  }
}
await sync.close();
rmSync(home, { recursive: true });
process.send?.({ wrong });
process.disconnect();
