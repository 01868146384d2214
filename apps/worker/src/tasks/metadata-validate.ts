import { defineTask } from "@perago/taskdef";
import { z } from "zod";

import { sortEntries } from "../catalog.ts";

/** More entries than this belong in a workspace, not in a task's input. */
const MAX_ENTRIES = 1000;

/**
 * Sorts catalog entries into accepted and refused ones. A refused entry is an answer, not a failure: the task is
 * COMPLETED either way. It needs no workspace.
 */
export default defineTask({
  name: "metadata.validate",
  description: "Sorts catalog entries into accepted and refused ones.",
  ownerEmail: "data@example.com",
  params: z.object({ songs: z.array(z.unknown()).max(MAX_ENTRIES) }),
  output: z.object({
    acceptedCount: z.int().min(0),
    refusedCount: z.int().min(0),
    accepted: z.array(z.string()),
    refused: z.array(z.object({ index: z.int(), song: z.string().nullable(), reasons: z.array(z.string()) })),
  }),
  controls: {
    retry: { count: 3, logic: "FIXED", delaySeconds: 5 },
    timeout: { policy: "RETRY", seconds: 60, responseSeconds: 30 },
  },
  run({ params }) {
    const { accepted, refused } = sortEntries(params.songs);
    return {
      acceptedCount: accepted.length,
      refusedCount: refused.length,
      accepted: accepted.map(({ song }) => song),
      refused,
    };
  },
});
