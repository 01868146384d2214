// node --conditions=perago-source packages/emulator/scripts/kill-test.ts [kills] [seed]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killCycles, seededRandom } from "./kill-cycles.ts";

const DEFAULT_KILLS = 1_000;
const SAY_EVERY = 50;
const kills = Number(process.argv[2] ?? DEFAULT_KILLS);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const folder = mkdtempSync(join(tmpdir(), "perago-kill-"));
process.stdout.write(`${kills} kills, seed ${seed}\n`);
let merges = 0;
const result = await killCycles({
  folder,
  kills,
  random: seededRandom(seed),
  onKill(kill, acknowledged) {
    merges += acknowledged;
    if (kill % SAY_EVERY === 0) process.stdout.write(`${kill} kills, ${merges} merges acknowledged\n`);
  },
});
for (const finding of result.findings) process.stdout.write(`${finding}\n`);
process.stdout.write(result.findings.length === 0 ? "nothing is lost\n" : `${result.findings.length} findings\n`);
rmSync(folder, { recursive: true, force: true });
if (result.findings.length > 0) process.exitCode = 1;
