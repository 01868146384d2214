import { defineTask } from "@perago/taskdef";
import { lease, ownerEmail, retry } from "./controls.ts";
import { named } from "./named.ts";
import { output, params, runScript } from "./script.ts";

/** Another step with the same prefix, for chains. */
export const later = defineTask({
  name: named("later"),
  ownerEmail,
  workspace: { prefix: "/work" },
  params,
  output,
  controls: { retry, timeout: lease },
  run: runScript,
});
