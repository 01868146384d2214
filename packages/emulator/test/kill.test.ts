import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { killCycles, seededRandom } from "../scripts/kill-cycles.ts";

// A kill takes one to three seconds on a busy machine; CI asks for more.
const DEFAULT_KILLS = 6;
const kills = Number(process.env["PERAGO_EMULATOR_KILLS"] ?? DEFAULT_KILLS);
const seed = Number(process.env["PERAGO_EMULATOR_SEED"] ?? 1);
const KILL_LIMIT_MS = 6_000;

test(
  `after each of ${kills} SIGKILLs while it is written to, all that was acknowledged is there and the store is sound`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "perago-kill-"));
    try {
      let merges = 0;
      const onKill = (_: number, acknowledged: number): void => void (merges += acknowledged);
      const result = await killCycles({ folder, kills, random: seededRandom(seed), onKill });
      expect(result.findings, `seed ${seed}`).toEqual([]);
      // The writers got through: the test would say nothing about an emulator that never answers.
      expect(merges).toBeGreaterThan(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  kills * KILL_LIMIT_MS,
);
