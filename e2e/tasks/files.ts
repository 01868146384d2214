import { defineTask } from "@perago/taskdef";
import { lease, ownerEmail, retry } from "./controls.ts";
import { named } from "./named.ts";
import { output, params, runScript } from "./script.ts";

/** Writes below `/work`. */
export const files = defineTask({
  name: named("files"),
  ownerEmail,
  workspace: { prefix: "/work" },
  params,
  output,
  controls: { retry, timeout: lease },
  run: runScript,
});
