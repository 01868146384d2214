import { defineTask } from "@perago/taskdef";
import { ownerEmail, retry } from "./controls.ts";
import { named } from "./named.ts";
import { output, params, runScript } from "./script.ts";

/** Its body may take 3 s (rule A5). */
export const limited = defineTask({
  name: named("limited"),
  ownerEmail,
  workspace: { prefix: "/work" },
  params,
  output,
  controls: { retry: { ...retry, count: 0 }, timeout: { policy: "RETRY", seconds: 3, responseSeconds: 2 } },
  run: runScript,
});
