// Brings a commit in and plans one change under a low limit of open files; prints what came of it.
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SyncWorker } from "../src/transfer/sync-worker.ts";
import { testSecret } from "./fake-http.ts";

const [endpoint = "", home = ""] = process.argv.slice(2);
const folder = join(home, "work");
const sync = new SyncWorker({
  connection: { endpoint, accessKeyId: "AKIATEST", secretAccessKey: testSecret },
  cache: { root: join(home, "cache"), maxSizeBytes: 1024 ** 3 },
});
const { workspaceId, fileCount } = await sync.syncIn({ repository: "r", commitId: "c1", prefix: "in", folder });
const names = readdirSync(folder);
const emptyCount = names.filter((name) => statSync(join(folder, name)).size === 0).length;
writeFileSync(join(folder, names[0] ?? ""), "changed");
const { uploadCount, unchangedCount } = await sync.project({ workspaceId });
await sync.release({ workspaceId });
await sync.close();
process.stdout.write(JSON.stringify({ fileCount, emptyCount, uploadCount, unchangedCount }));
