/** Registers the sample workflow on Conductor. Its tasks are registered by `perago register`. */
import { WORKFLOW_NAME } from "../src/workflow.ts";
import { registerWorkflow } from "./lib/conductor.ts";
import { runScript } from "./lib/run-script.ts";
import { readConductorSettings } from "./lib/settings.ts";

await runScript(async () => {
  await registerWorkflow(readConductorSettings());
  process.stdout.write(`${WORKFLOW_NAME}\n`);
});
