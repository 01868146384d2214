import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { connectionTo, failureFrom, testSecret } from "../../test/fake-http.ts";
import { fakeLakefs, fakeObject, type FakeFaults } from "../../test/fake-lakefs.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import type { CacheOptions } from "../cache/cache-root.ts";
import { LakefsError } from "../client/errors.ts";
import { SyncError } from "../errors.ts";
import { SyncWorker } from "./sync-worker.ts";

async function bench(
  faults: FakeFaults = {},
  cache?: CacheOptions,
): Promise<{ sync: SyncWorker; folder: string; job: Parameters<SyncWorker["syncIn"]>[0] }> {
  const objects = new Map([
    ["in/a", fakeObject("one")],
    ["in/b/c", fakeObject("two")],
  ]);
  const { endpoint } = await fakeLakefs({ c1: objects, stg: new Map(objects) }, faults);
  const sync = new SyncWorker({ connection: connectionTo(endpoint), ...(cache === undefined ? {} : { cache }) });
  onTestFinished(() => sync.close());
  const folder = join(tempFolder(), "work");
  return { sync, folder, job: { repository: "r", commitId: "c1", prefix: "in", folder } };
}

test("the whole way runs in the thread: in, project, stage, compare, release", async () => {
  const { sync, folder, job } = await bench();
  const { workspaceId, paths, fileCount, sizeBytes } = await sync.syncIn(job);
  expect({ paths: paths.toSorted(), fileCount, sizeBytes }).toEqual({
    paths: ["a", "b/c"],
    fileCount: 2,
    sizeBytes: 6,
  });
  expect(readFileSync(join(folder, "b/c"), "utf8")).toBe("two");
  const before = await sync.project({ workspaceId });
  expect(before).toMatchObject({ noop: true, unchangedCount: 2 });
  writeFileSync(join(folder, "a"), "ONE");
  const { digest, noop } = await sync.project({ workspaceId });
  expect(noop).toBe(false);
  const where = { workspaceId, branch: "stg", baseCommitId: "c1" };
  const other = await failureFrom(() => sync.stage({ ...where, digest: before.digest }));
  expect(other).toMatchObject({ code: "file_changed" });
  expect(await sync.stage({ ...where, digest })).toMatchObject({
    uploadedCount: 1,
    uploadedSizeBytes: 3,
    changedPathCount: 1,
  });
  expect(await sync.compare({ workspaceId, commitId: "stg" })).toEqual({ equal: true });
  await sync.release({ workspaceId });
  expect(await failureFrom(() => sync.project({ workspaceId }))).toMatchObject({ code: "sync_worker_lost" });
});

test("between two attempts new files are made, and the next one's files are of them", { timeout: 30_000 }, async () => {
  const root = tempFolder();
  const { sync, folder, job } = await bench({}, { root, maxSizeBytes: 1024 ** 3 });
  const stock = (): string[] => readdirSync(join(root, "stock"));
  const first = await sync.syncIn(job);
  await sync.release({ workspaceId: first.workspaceId });
  await expect.poll(() => stock().length, { timeout: 20_000 }).toBe(1024);
  const inodes = new Set(stock().map((name) => statSync(join(root, "stock", name)).ino));
  const { workspaceId } = await sync.syncIn({ ...job, folder: `${folder}-2` });
  expect(readFileSync(join(`${folder}-2`, "b/c"), "utf8")).toBe("two");
  expect(["a", "b/c"].map((path) => inodes.has(statSync(join(`${folder}-2`, path)).ino))).toEqual([true, true]);
  expect(await sync.project({ workspaceId })).toMatchObject({ noop: true, hashedCount: 0 });
});

test("paths are listed only for whom they are wanted, and nothing else depends on them", async () => {
  const { sync, folder, job } = await bench();
  const { workspaceId, paths, fileCount } = await sync.syncIn({ ...job, withPaths: false });
  expect({ paths, fileCount }).toEqual({ paths: [], fileCount: 2 });
  writeFileSync(join(folder, "new"), "three");
  const wanted = await sync.project({ workspaceId, withPaths: true });
  expect(wanted.paths.toSorted()).toEqual(["a", "b/c", "new"]);
  expect(await sync.project({ workspaceId, withPaths: false })).toEqual({ ...wanted, paths: [] });
});

test("errors keep their class, code and fields over the thread border", async () => {
  const { sync, job } = await bench();
  const missing = await failureFrom(() => sync.syncIn({ ...job, commitId: "nope" }));
  expect(missing).toBeInstanceOf(LakefsError);
  expect(missing).toMatchObject({ code: "not_found", status: 404, outcome: "refused" });
  const wrong = await failureFrom(() => sync.syncIn({ ...job, prefix: "../x" }));
  expect(wrong).toBeInstanceOf(SyncError);
  expect(wrong).toMatchObject({ code: "prefix_invalid", terminal: true, names: ["../x"] });
});

test("an abort ends the job after its work has stopped, and leaves no folder", async () => {
  const controller = new AbortController();
  const { sync, folder, job } = await bench({
    intercept: (request) => {
      if (!request.target.includes("/objects?path=")) return false;
      controller.abort();
      return true;
    },
  });
  const error = await failureFrom(() => sync.syncIn(job, { signal: controller.signal }));
  expect(error).toMatchObject({ code: "sync_aborted" });
  expect([existsSync(folder), existsSync(`${folder}.part`)]).toEqual([false, false]);
  expect(await failureFrom(() => sync.project({ workspaceId: 1 }, { signal: controller.signal }))).toMatchObject({
    code: "sync_aborted",
  });
});

test("a job whose thread ends fails as lost, and a closed worker takes no more", async () => {
  const { sync, job } = await bench({ intercept: () => true });
  const work = failureFrom(() => sync.syncIn(job));
  await sync.close();
  expect(await work).toMatchObject({ code: "sync_worker_lost" });
  expect(await failureFrom(async () => await sync.syncIn(job))).toMatchObject({ message: "the sync worker is closed" });
});

test("case A01: inspecting a sync worker shows no secret", async () => {
  const { sync, job } = await bench();
  await sync.syncIn(job);
  expect(inspect(sync, { depth: 9, showHidden: true })).not.toContain(testSecret);
});
