import { defineTask } from "@perago/taskdef";
import { ownerEmail, retry } from "./controls.ts";
import { named } from "./named.ts";
import { output, params, runScript } from "./script.ts";

/** As `once`, with a lease that outlasts a wait for two dozen others. */
export const racer = defineTask({
  name: named("racer"),
  ownerEmail,
  workspace: { prefix: "/work" },
  params,
  output,
  controls: { retry: { ...retry, count: 0 }, timeout: { policy: "RETRY", responseSeconds: 120 } },
  run: runScript,
});
