/** Starts the sample workflow, waits for its end, and prints what it gave as JSON on stdout. */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";

import { z } from "zod";

import { describeFailure, startWorkflow, waitForEnd } from "./lib/conductor.ts";
import { CATALOG_FILE } from "./lib/data-folder.ts";
import { connectLakefs } from "./lib/lakefs.ts";
import { runScript } from "./lib/run-script.ts";
import { readConductorSettings, readLakefsSettings } from "./lib/settings.ts";
import { ScriptError, UsageError } from "./lib/usage-error.ts";

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      repository: { type: "string", default: "songs" },
      branch: { type: "string", default: "main" },
      ref: { type: "string" },
      "feature-set": { type: "string", default: "basic-1" },
      "timeout-seconds": { type: "string", default: "300" },
    },
  });
  const { repository, branch } = values;
  const timeoutSeconds = z.coerce.number().int().min(1).safeParse(values["timeout-seconds"]);
  if (!timeoutSeconds.success) throw new UsageError("--timeout-seconds expects a whole number, at least 1");
  const conductor = readConductorSettings();
  const ref = values.ref ?? (await connectLakefs(readLakefsSettings()).getBranch(repository, branch));
  const songs = z.array(z.unknown()).parse(JSON.parse(await readFile(CATALOG_FILE, "utf8")));
  const input = { repository, branch, ref, featureSet: values["feature-set"], songs };
  const workflowId = await startWorkflow(conductor, input);
  process.stderr.write(`started ${workflowId} from ${ref}\n`);
  const ended = await waitForEnd(conductor, workflowId, timeoutSeconds.data * 1000);
  process.stdout.write(`${JSON.stringify({ workflowId, status: ended.status, output: ended.output }, undefined, 2)}\n`);
  if (ended.status !== "COMPLETED") throw new ScriptError(describeFailure(ended));
});
