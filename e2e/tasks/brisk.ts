import { defineTask } from "@perago/taskdef";
import { lease, ownerEmail, retry } from "./controls.ts";
import { named } from "./named.ts";
import { output, params, runScript } from "./script.ts";

/** Its merge may take 1 s (rule C4). */
export const brisk = defineTask({
  name: named("brisk"),
  ownerEmail,
  workspace: { prefix: "/work" },
  params,
  output,
  controls: {
    retry,
    timeout: { ...lease, responseSeconds: 4 },
    publishBudget: {
      observedMergeP99Seconds: 0,
      safetyMarginSeconds: 0,
      lakefsMergeTimeoutSeconds: 1,
      conductorCompletionTimeoutSeconds: 1,
      workerShutdownGraceSeconds: 1,
      heartbeatIntervalSeconds: 1,
    },
  },
  run: runScript,
});
