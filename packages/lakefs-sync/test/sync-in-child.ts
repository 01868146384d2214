// Runs one sync-in in a process of its own, to be killed in the middle (case T06).
import { SyncWorker } from "../src/transfer/sync-worker.ts";

const [endpoint = "", folder = ""] = process.argv.slice(2);
const sync = new SyncWorker({ connection: { endpoint, accessKeyId: "a", secretAccessKey: "b" } });
await sync.syncIn({ repository: "r", commitId: "c1", prefix: "in", folder });
