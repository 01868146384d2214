import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LakefsError } from "@perago/lakefs-sync";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFakeClock } from "../conductor/testing/fake-clock.ts";
import { eventually } from "../conductor/testing/eventually.ts";
import { createCounters } from "../telemetry/counters.ts";
import { createLogger } from "../telemetry/log.ts";
import type { BranchStore } from "./branch-store.ts";
import { runBranchSweeps } from "./host-sweeps.ts";
import { openSweepMemory } from "./sweep-memory.ts";
import { DAY_MS, MemoryBranches, stagingName } from "./testing/memory-branches.ts";

const HOUR_MS = 3_600_000;
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "perago-sweeps-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

async function host(lakefs: MemoryBranches, held: readonly string[] = [], store: Partial<BranchStore> = {}) {
  const memory = openSweepMemory(root, "http://lakefs");
  await memory.remember("repo");
  const clock = createFakeClock();
  const counters = createCounters();
  const lines: string[] = [];
  const sink = { write: (line: string): boolean => lines.push(line) > 0 };
  const ending = new AbortController();
  const swept = runBranchSweeps({
    store: { ...lakefs.store(), ...store },
    memory,
    ttlMs: 7 * DAY_MS,
    intervalMs: HOUR_MS,
    held: new Set(held),
    // Pauses between branches end at once; the interval is the test's.
    clock: { nowMs: clock.nowMs, wait: (ms, signal) => (ms < HOUR_MS ? Promise.resolve() : clock.wait(ms, signal)) },
    log: createLogger({ sinks: [sink] }),
    counters,
    signal: ending.signal,
  });
  const rested = (): Promise<void> => eventually("the sweep rests", () => clock.sleeperCount() === 1);
  return { memory, clock, counters, lines, rested, end: () => (ending.abort(), swept) };
}

describe("rule X3: the host's own sweeps", () => {
  test("rule X3, fault A9: at once and at every interval, but for what an execution of this host holds", async () => {
    const lakefs = new MemoryBranches();
    lakefs.staged("first", 8 * DAY_MS);
    const mine = lakefs.staged("mine", 8 * DAY_MS);
    const running = await host(lakefs, ["mine"]);
    await running.rested();
    expect([...lakefs.branches.keys()]).toEqual([mine]);
    lakefs.staged("second", 8 * DAY_MS);
    await running.clock.advance(HOUR_MS);
    await eventually("the second one is gone", () => lakefs.branches.size === 1);
    await running.rested();
    expect(running.counters.snapshot()).toEqual([{ name: "branch_swept", labels: {}, value: 2 }]);
    expect(running.lines.join()).toContain(`"stagingCommit":"try-first"`);
    await running.end();
  });

  test("case G06: a deletion that is refused is warned of once, and tried again", async () => {
    const lakefs = new MemoryBranches();
    lakefs.refusing.add(lakefs.staged("stuck", 8 * DAY_MS));
    const running = await host(lakefs);
    await running.rested();
    await running.clock.advance(HOUR_MS);
    await eventually("it is tried again", () => lakefs.calls.filter((call) => call.startsWith("remove")).length === 2);
    await running.rested();
    const warnings = running.lines.filter((line) => line.includes("could not be removed"));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(stagingName("stuck"));
    await running.end();
  });

  test("rule X3: a repository that is gone is forgotten; one that cannot be listed now is not", async () => {
    const refusal = (code: "not_found" | "unreachable"): LakefsError =>
      new LakefsError({
        code,
        status: 404,
        operation: "listBranches",
        message: "no",
        hint: "",
        retryable: false,
        outcome: "refused",
      });
    const failing = (code: "not_found" | "unreachable"): Partial<BranchStore> => ({
      nowMs: () => Promise.reject(refusal(code)),
    });
    const away = await host(new MemoryBranches(), [], failing("unreachable"));
    await away.rested();
    await away.end();
    expect(openSweepMemory(root, "http://lakefs").repositories()).toEqual(["repo"]);
    const gone = await host(new MemoryBranches(), [], failing("not_found"));
    await gone.rested();
    await gone.end();
    expect(openSweepMemory(root, "http://lakefs").repositories()).toEqual([]);
  });
});
