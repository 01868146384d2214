import { describe, expect, test } from "vitest";
import { execute } from "./world/execution.ts";
import { MemoryConductor } from "./world/memory-conductor.ts";
import { MemoryLakefs } from "./world/memory-lakefs.ts";
import type { MergeOutcome } from "../src/attempt/ports/target-store.ts";

const busy: MergeOutcome = { kind: "busy", message: "too many tries", retryAfterMs: 1000 };
const change = (folder: Map<string, string>): void => void folder.set("data/b", "2");

/** A store whose merge is busy, and a clock that jumps while the head is pinned for the second merge. */
function busyWorld(jumpMs: number): {
  run: () => ReturnType<typeof execute>;
  sent: number[];
  lakefs: MemoryLakefs;
  conductor: MemoryConductor;
} {
  const lakefs = new MemoryLakefs({ "data/a": "1" });
  const conductor = new MemoryConductor();
  const sent: number[] = [];
  let nowMs = 0;
  const run = (): ReturnType<typeof execute> =>
    execute(
      { lakefs, conductor },
      {
        body: change,
        before: { recheckAttempt: () => void (nowMs += sent.length > 0 ? jumpMs : 0) },
        ports: (base) => ({
          clock: { nowMs: () => nowMs, wait: (delayMs) => Promise.resolve(void (nowMs += delayMs)) },
          lease: { ...base.lease, deadlineMs: () => nowMs + 600_000 },
          store: {
            ...lakefs.store(),
            merge: ({ timeoutMs }) => {
              sent.push(timeoutMs);
              return Promise.resolve(busy);
            },
          },
        }),
      },
    );
  return { run, sent, lakefs, conductor };
}

describe("what the simulation found", () => {
  test("rule C4, rule C8: no merge is sent when its budget is over", async () => {
    const { run, sent } = busyWorld(70_000);
    const { done } = await run();
    expect(sent).toEqual([60_000]);
    expect(done.outcome).toMatchObject({ kind: "failed", failure: { code: "server_unavailable" } });
  });

  test("rule C8: inside its budget it is sent again, with the time that is left", async () => {
    const { run, sent } = busyWorld(20_000);
    await run();
    expect(sent).toEqual([60_000, 39_000, 18_000]);
  });

  test("rule R2, rule X2: a busy merge whose copy may still land leaves its branch to be listed", async () => {
    const { run, lakefs } = busyWorld(70_000);
    await run();
    expect(lakefs.stagingBranches()).toHaveLength(1);
  });
});
