import { defineTask, requireFile } from "@perago/taskdef";
import { lease, ownerEmail, retry } from "./controls.ts";
import { named } from "./named.ts";
import { output, params, runScript } from "./script.ts";

/** Its pre guardrail wants a file (rule T3). */
export const guarded = defineTask({
  name: named("guarded"),
  ownerEmail,
  workspace: { prefix: "/work", pre: [requireFile("needed.txt")] },
  params,
  output,
  controls: { retry, timeout: lease },
  run: runScript,
});
