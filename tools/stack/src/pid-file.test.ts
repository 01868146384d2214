import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parsePidRecord, readPidFile, removePidFile, writePidFile } from "./pid-file.ts";
import { identify, isAlive, parseProcStat } from "./process-identity.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "perago-pid-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const stat = (state: string, threadCount: number) =>
  `42 (a) b) ${state} 1 2 3 0 -1 4 5 6 7 8 9 10 11 12 20 0 ${threadCount} 0 49572 99`;

it("reads a process' start past a name with blanks and parentheses", () => {
  expect(parseProcStat(stat("S", 1))).toEqual({ isAlive: true, startTicks: "49572" });
  expect(parseProcStat("")).toBe(undefined);
  expect(parseProcStat("42 (java) S 1 2")).toBe(undefined);
});

it("takes a zombie for dead only when its last thread has ended, for until then its port is open", () => {
  expect(parseProcStat(stat("Z", 1))?.isAlive).toBe(false);
  expect(parseProcStat(stat("Z", 0))?.isAlive).toBe(false);
  expect(parseProcStat(stat("Z", 7))?.isAlive).toBe(true);
});

it("knows a living process, and takes a later one with the same pid for another", async () => {
  const self = await identify(process.pid);
  expect(self).toBeDefined();
  if (self === undefined) return;
  expect(await isAlive(self)).toBe(true);
  const path = join(folder, "self.json");
  await writePidFile(path, { ...self, port: 1 });
  expect(await readPidFile(path)).toMatchObject({ state: "running", record: { pid: process.pid } });
  await writePidFile(path, { ...self, started: "an earlier start", port: 1 });
  expect(await readPidFile(path)).toEqual({ state: "ended" });
});

it("calls a server without a pid file stopped, and one with a damaged file ended", async () => {
  const path = join(folder, "other.json");
  expect(await readPidFile(path)).toEqual({ state: "stopped" });
  await writeFile(path, '{"pid": 12');
  expect(await readPidFile(path)).toEqual({ state: "ended" });
  await removePidFile(path);
  await removePidFile(path);
  expect(await readPidFile(path)).toEqual({ state: "stopped" });
});

it.each([0, 1, -5, 1.5, "7"])("refuses %j as a pid", (pid) => {
  expect(parsePidRecord(JSON.stringify({ pid, started: "x", port: 1 }))).toBe(undefined);
});
