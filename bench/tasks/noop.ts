import { defineTask } from "@perago/taskdef";
import { z } from "zod";
import { named } from "./named.ts";

/** Does nothing, without a workspace: what is left is the Conductor loop. */
export const noop = defineTask({
  name: named("noop"),
  ownerEmail: "bench@example.com",
  params: z.object({}),
  output: z.object({}),
  controls: { retry: { count: 0 }, timeout: { responseSeconds: 60 } },
  run: async () => ({}),
});
