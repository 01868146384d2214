import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineTask, requireGlob } from "@perago/taskdef";
import { z } from "zod";

/** A body that writes one file. */
export const append = defineTask({
  name: "perago.real.append",
  ownerEmail: "data@example.com",
  workspace: { prefix: "/data", pre: [requireGlob("**/*.txt")] },
  params: z.object({ text: z.string() }),
  output: z.object({ bytes: z.number().int() }),
  controls: { timeout: { responseSeconds: 10, seconds: 60 } },
  async run({ workspace, params, log }) {
    log.info("appending");
    await writeFile(join(workspace.path, "out.txt"), params.text);
    return { bytes: params.text.length };
  },
});
