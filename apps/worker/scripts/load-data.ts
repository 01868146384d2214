/** Brings `data/` into a lakeFS repository and protects the branch. Prints the branch's head on stdout. */
import { parseArgs } from "node:util";

import { connectLakefs } from "./lib/lakefs.ts";
import { loadData } from "./lib/load-data.ts";
import { runScript } from "./lib/run-script.ts";
import { readLakefsSettings } from "./lib/settings.ts";
import { UsageError } from "./lib/usage-error.ts";

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      repository: { type: "string", default: "songs" },
      branch: { type: "string", default: "main" },
      "storage-namespace": { type: "string" },
    },
  });
  const { repository, branch } = values;
  const lakefs = connectLakefs(readLakefsSettings());
  const storageNamespace = values["storage-namespace"] ?? (await localNamespace(lakefs.blockstoreType, repository));
  const { head, isNew } = await loadData(lakefs, { repository, branch, storageNamespace });
  process.stderr.write(`${repository}/${branch} ${isNew ? "made" : "was there"}, data loaded, branch protected\n`);
  process.stdout.write(`${head}\n`);
});

/** A local block store takes any name; any other one has buckets that only its owner knows. */
async function localNamespace(blockstoreType: () => Promise<string>, repository: string): Promise<string> {
  const type = await blockstoreType();
  if (type === "local" || type === "mem") return `${type}://${repository}`;
  throw new UsageError(`This lakeFS stores on ${type}: say where with --storage-namespace ${type}://bucket/path`);
}
