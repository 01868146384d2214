import { defineTask, TaskFailed } from "@perago/taskdef";
import { z } from "zod";
import { lease, ownerEmail } from "../../tasks/controls.ts";
import { named } from "../../tasks/named.ts";

/** What a body can do last, without a workspace and without a retry. */
export const last = defineTask({
  name: named("last"),
  ownerEmail,
  params: z.object({
    /** Letters of the result. */
    size: z.int().min(0).default(0),
    /** `process.exit(0)` as soon as the body has returned. */
    exits: z.boolean().default(false),
    /** Lines of log before the end. */
    lineCount: z.int().min(0).default(0),
    /** Fails with these words. */
    failure: z.string().optional(),
  }),
  output: z.object({ text: z.string() }),
  controls: { retry: { count: 0 }, timeout: lease },
  run({ params: { size, exits, lineCount, failure }, log }) {
    for (let line = 1; line <= lineCount; line += 1) log.info(`line ${line} of ${lineCount}`);
    if (failure !== undefined) throw new TaskFailed(failure);
    if (exits) setImmediate(() => process.exit(0));
    return { text: "x".repeat(size) };
  },
});
