import { defineTask } from "@perago/taskdef";
import { lease, ownerEmail, retry } from "./controls.ts";
import { named } from "./named.ts";
import { output, params, runScript } from "./script.ts";

/** Without a workspace. */
export const free = defineTask({
  name: named("free"),
  ownerEmail,
  params,
  output,
  controls: { retry, timeout: lease },
  run: runScript,
});
