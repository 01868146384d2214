import { defineTask } from "@perago/taskdef";
import { lease, ownerEmail, retry } from "./controls.ts";
import { named } from "./named.ts";
import { output, params, runScript } from "./script.ts";

/** As `files`, without a retry: what fails has failed. */
export const once = defineTask({
  name: named("once"),
  ownerEmail,
  workspace: { prefix: "/work" },
  params,
  output,
  controls: { retry: { ...retry, count: 0 }, timeout: lease },
  run: runScript,
});
