import { defineTask } from "@perago/taskdef";
import { lease, ownerEmail, retry } from "./controls.ts";
import { named } from "./named.ts";
import { output, params, runScript } from "./script.ts";

/** Reads the whole repository and publishes nothing (rule R1). */
export const reader = defineTask({
  name: named("reader"),
  ownerEmail,
  workspace: { prefix: "/", readOnly: true },
  params,
  output,
  controls: { retry, timeout: lease },
  run: runScript,
});
