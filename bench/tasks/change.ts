import { open } from "node:fs/promises";
import { join } from "node:path";
import { defineTask } from "@perago/taskdef";
import { z } from "zod";
import { named } from "./named.ts";

/** Writes over the first bytes of one file: what every row about an attempt does. */
export const change = defineTask({
  name: named("change"),
  ownerEmail: "bench@example.com",
  workspace: { prefix: "/data" },
  params: z.object({ path: z.string(), stamp: z.string() }),
  output: z.object({ writtenBytes: z.int() }),
  controls: { retry: { count: 0 }, timeout: { responseSeconds: 60 } },
  async run({ workspace, params }) {
    const file = await open(join(workspace.path, params.path), "r+");
    try {
      const { bytesWritten } = await file.write(params.stamp, 0);
      return { writtenBytes: bytesWritten };
    } finally {
      await file.close();
    }
  },
});
