import { chmod, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect } from "vitest";
import { fc, it, test } from "@fast-check/vitest";
import { createFakeClock } from "../conductor/testing/fake-clock.ts";
import { createLocalSite, type LocalSite } from "./attempt-site.ts";
import { decideFolder, runSweeps, sweepFolders, type FoundFolder, type SweepReport } from "./gc.ts";
import { MARKER_NAME, readMarker } from "./marker.ts";

const HOUR_MS = 3_600_000;
const NOW_MS = 2_000_000_000_000;
let root: string;
let outside: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "perago-gc-"));
  outside = await mkdtemp(join(tmpdir(), "perago-gc-outside-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
  await rm(outside, { recursive: true, force: true });
});

function site(executionId: string, ageMs: number, workerId = "host-abcdef0001"): LocalSite {
  return createLocalSite(
    root,
    { workerId, executionId, taskId: "task-1" },
    { pid: 1, startedAtMs: 0, nowMs: () => NOW_MS - ageMs },
  );
}

async function sweep(held: readonly string[] = []): Promise<SweepReport> {
  return await sweepFolders({ root, ttlMs: 24 * HOUR_MS, isHeld: (id) => held.includes(id), nowMs: () => NOW_MS });
}

describe("attempt site", () => {
  it("rule T6: the marker lies beside the folder that the body sees, and says whose it is", async () => {
    const made = site("exec1", 0);
    await made.prepare();
    expect(made.folder).toBe(join(root, "host-abcdef0001", "exec1", "workspace"));
    expect(await readdir(join(root, "host-abcdef0001", "exec1"))).toEqual([MARKER_NAME]);
    expect(await readMarker(join(root, "host-abcdef0001", "exec1"))).toMatchObject({
      executionId: "exec1",
      pid: 1,
      createdAtMs: NOW_MS,
    });
    await expect(site("exec1", 0).prepare()).rejects.toThrow("EEXIST");
  });

  it("rule X1: remove takes the folder, its marker and the empty folder above, opens what a body has locked, and is done when all is gone", async () => {
    const made = site("exec1", 0);
    const other = site("exec2", 0);
    await made.prepare();
    await other.prepare();
    await mkdir(join(made.folder, "locked", "deep"), { recursive: true });
    await writeFile(join(made.folder, "locked", "deep", "f"), "x");
    await writeFile(join(outside, "precious"), "x");
    await symlink(outside, join(made.folder, "link"));
    await chmod(join(made.folder, "locked", "deep"), 0o000);
    await chmod(join(made.folder, "locked"), 0o000);
    await made.remove();
    await made.remove();
    expect(await readdir(join(root, "host-abcdef0001"))).toEqual(["exec2"]);
    await other.remove();
    expect(await readdir(root)).toEqual([]);
    expect(await readdir(outside)).toEqual(["precious"]);
  });
});

describe("gc", () => {
  it("rule X3: removes what is older than the TTL, carries our marker and is not held, and touches nothing else", async () => {
    await site("old", 25 * HOUR_MS).prepare();
    await site("held", 25 * HOUR_MS).prepare();
    await site("young", 23 * HOUR_MS).prepare();
    const dead = site("dead", 48 * HOUR_MS, "deadhost-xyzxyz0001");
    await dead.prepare();
    await mkdir(join(dead.folder, "sub"), { recursive: true });
    await mkdir(join(root, "host-abcdef0001", "foreign"));
    await writeFile(join(root, "host-abcdef0001", "foreign", "f"), "x");
    await mkdir(join(root, "host-abcdef0001", "copied"));
    const copied = { ...(await readMarker(join(root, "host-abcdef0001", "old"))) };
    await writeFile(join(root, "host-abcdef0001", "copied", MARKER_NAME), JSON.stringify(copied));
    await writeFile(join(root, "file"), "x");
    await mkdir(join(outside, "w", "old"), { recursive: true });
    await writeFile(join(outside, "w", "old", MARKER_NAME), JSON.stringify({ ...copied, workerId: "w" }));
    await symlink(join(outside, "w"), join(root, "w"));

    const report = await sweep(["held"]);

    expect(report).toEqual({ removedCount: 2, keptCount: 4, failures: [] });
    expect((await readdir(root)).toSorted()).toEqual(["file", "host-abcdef0001", "w"]);
    expect((await readdir(join(root, "host-abcdef0001"))).toSorted()).toEqual(["copied", "foreign", "held", "young"]);
    expect(await readdir(join(outside, "w", "old"))).toEqual([MARKER_NAME]);
  });

  it("rule X3: a folder that was cut before its marker was written goes when it is empty and old", async () => {
    for (const name of ["empty-old", "empty-new"]) await mkdir(join(root, "w0001", name), { recursive: true });
    const oldSeconds = (NOW_MS - 25 * HOUR_MS) / 1000;
    await utimes(join(root, "w0001", "empty-old"), oldSeconds, oldSeconds);
    await utimes(join(root, "w0001", "empty-new"), NOW_MS / 1000, NOW_MS / 1000);
    expect(await sweep()).toMatchObject({ removedCount: 1, keptCount: 1 });
    expect(await readdir(join(root, "w0001"))).toEqual(["empty-new"]);
  });

  it("rule X3: sweeps at once and at every interval until it is told to stop, also where the root is gone", async () => {
    const clock = createFakeClock();
    const stop = new AbortController();
    const reports: SweepReport[] = [];
    await rm(root, { recursive: true });
    let swept = Promise.withResolvers<void>();
    const options = { root, ttlMs: 1, isHeld: () => false, nowMs: () => NOW_MS, intervalMs: HOUR_MS, clock };
    const sweeps = runSweeps({ ...options, onSweep: (report) => (reports.push(report), swept.resolve()) }, stop.signal);
    await swept.promise;
    swept = Promise.withResolvers();
    await clock.advance(HOUR_MS);
    await swept.promise;
    stop.abort();
    await sweeps;
    expect(reports).toHaveLength(2);
  });

  const folder: FoundFolder = {
    workerId: "w",
    executionId: "e",
    isEmpty: false,
    changedAtMs: 0,
    marker: {
      kind: "perago.attempt",
      version: 1,
      workerId: "w",
      executionId: "e",
      taskId: "t",
      pid: 1,
      processStartedAtMs: 0,
      createdAtMs: NOW_MS,
    },
  };

  test.prop([fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: 1, max: 500 }), fc.boolean()])(
    "rule X3: with our marker, age alone decides, and a held folder is never removed",
    (ageMs, ttlMs, isHeld) => {
      const fate = decideFolder({ folder, ttlMs, nowMs: NOW_MS + ageMs, isHeld: () => isHeld });
      expect(fate).toBe(!isHeld && ageMs > ttlMs ? "remove" : "keep");
    },
  );
});
