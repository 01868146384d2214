import { spawn } from "node:child_process";
import { once } from "node:events";
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cacheAt, cachedContext } from "../../test/cached.ts";
import type { SeenRequest } from "../../test/fake-http.ts";
import { fakeLakefs, fakeObject, type FakeObject } from "../../test/fake-lakefs.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { itemsOfSnapshot } from "../cache/fill-items.ts";
import { projectFolder } from "./project.ts";
import { stage } from "./stage.ts";
import { syncIn } from "./sync-in.ts";

const fileCount = 2_001;
const pageCount = Math.ceil(fileCount / 1_000);

function files(count: number): Map<string, FakeObject> {
  const numbers = Array.from({ length: count }, (_, index) => String(index).padStart(5, "0"));
  return new Map(numbers.map((number) => [`in/${number}`, fakeObject(`content ${number}`)]));
}

/** Requests by what they are for. */
function tally(seen: readonly SeenRequest[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, target, headers } of seen) {
    const path = (target.split("?")[0] ?? "").split("/").slice(7).join("/");
    const name = method === "GET" && path === "objects" ? (headers["range"] ?? "download") : `${method} ${path}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

test("case B10 case B12: publishing costs a listing and what changed, never the files that nobody touched", async () => {
  const objects = files(fileCount);
  const { endpoint, seen } = await fakeLakefs({ c1: objects, stg: new Map(objects) });
  const cache = cacheAt(tempFolder(), endpoint);
  const context = cachedContext(endpoint, cache);
  const attempt = async (): Promise<Record<string, number>> => {
    seen.length = 0;
    const folder = join(tempFolder(), "work");
    const snapshot = await syncIn(context, { repository: "r", commitId: "c1", prefix: "in", folder });
    cache.keep(1, itemsOfSnapshot(snapshot));
    writeFileSync(join(folder, "00007"), "changed");
    const projection = await projectFolder(context, snapshot);
    expect(projection).toMatchObject({ hashedCount: 1, plan: { unchangedCount: fileCount - 1 } });
    const staged = await stage(context, snapshot, projection, { branch: "stg", baseCommitId: "c1" });
    expect(staged.plan.uploads.map(({ key }) => key)).toEqual(["in/00007"]);
    await cache.settle(1, false);
    return tally(seen);
  };
  const listing = { "GET objects/stat": 1, "GET objects/ls": pageCount };
  expect(await attempt()).toEqual({ ...listing, download: fileCount, "POST objects": 1 });
  // What was changed before the cache had it comes in once more.
  expect(await attempt()).toEqual({ ...listing, "bytes=0-0": 1, download: 1, "POST objects": 1 });
}, 120_000);

test("case B17: a touch of every file publishes nothing", async () => {
  const { endpoint } = await fakeLakefs({ c1: files(50) });
  const context = cachedContext(endpoint, cacheAt(tempFolder(), endpoint));
  const folder = join(tempFolder(), "work");
  const snapshot = await syncIn(context, { repository: "r", commitId: "c1", prefix: "in", folder });
  for (const { path } of snapshot.objects.entries()) utimesSync(join(folder, path), 1, 1);
  const touched = await projectFolder(context, snapshot);
  expect(touched).toMatchObject({ hashedCount: 50, plan: { uploads: [], deletes: [], unchangedCount: 50 } });
});

/** Runs `limited-child.ts` with at most so many open files; its output, or what it died of. */
async function underLimit(endpoint: string, openFileCount: number): Promise<{ code: unknown; output: string }> {
  const script = new URL("../../test/limited-child.ts", import.meta.url).pathname;
  const shell = `ulimit -n ${openFileCount}; exec "$0" "$@"`;
  const parts = [process.execPath, "--conditions=perago-source", script, endpoint, tempFolder()];
  const child = spawn("sh", ["-c", shell, ...parts], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += String(chunk)));
  const [code] = await once(child, "close");
  return { code, output };
}

test("case B13: 2,000 files come in, are kept and planned with 64 open files, and none is empty", async () => {
  const { endpoint } = await fakeLakefs({ c1: files(2_000) });
  const { code, output } = await underLimit(endpoint, 64);
  expect({ code, output }).toEqual({
    code: 0,
    output: JSON.stringify({ fileCount: 2_000, emptyCount: 0, uploadCount: 1, unchangedCount: 1_999 }),
  });
}, 120_000);

test("case B13: with too few open files the failure says so; nothing is taken for an empty file", async () => {
  const { endpoint } = await fakeLakefs({ c1: files(200) });
  const { code, output } = await underLimit(endpoint, 30);
  expect(code).not.toBe(0);
  expect(output).toMatch(/too many open files|EMFILE/);
}, 120_000);
