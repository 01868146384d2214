import { createHash, randomBytes } from "node:crypto";
import { closeSync, openSync, truncateSync, utimesSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bringIn, cacheAt } from "../../test/cached.ts";
import { failureFrom } from "../../test/fake-http.ts";
import { fakeLakefs, fakeObject, type FakeFaults, type FakeObject } from "../../test/fake-lakefs.ts";
import { contextTo } from "../../test/job-context.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { compareCommit } from "./compare.ts";
import { projectFolder } from "./project.ts";
import { stage } from "./stage.ts";
import { syncIn } from "./sync-in.ts";

const content = randomBytes(5 * 1024 * 1024 + 7);
const md5 = (bytes: Buffer): string => createHash("md5").update(bytes).digest("hex");

function writeAt(path: string, bytes: Buffer, position: number): void {
  const descriptor = openSync(path, "r+");
  writeSync(descriptor, bytes, 0, bytes.length, position);
  closeSync(descriptor);
}

/** One large file, brought in; `stg` and `c2` are the branch and a later commit. */
async function bench(faults: FakeFaults & { later?: Buffer } = {}) {
  const branch = new Map([["in/big", fakeObject(content)]]);
  const later = new Map([["in/big", fakeObject(faults.later ?? content)]]);
  const refs: Record<string, Map<string, FakeObject>> = { c1: new Map(branch), c2: later, stg: branch };
  const { endpoint, seen } = await fakeLakefs(refs, faults);
  const context = contextTo(endpoint);
  const folder = join(tempFolder(), "work");
  const snapshot = await syncIn(context, { repository: "r", commitId: "c1", prefix: "in", folder });
  const uploadCount = (): number => seen.filter(({ method }) => method === "POST").length;
  return { context, snapshot, folder, branch, big: join(folder, "big"), uploadCount };
}

/** The whole content with one letter more in its middle. */
const changedContent = Buffer.from(content);
changedContent.write("X", 3_000_000);

test.for([
  ["written in place", (big: string) => writeAt(big, Buffer.from("X"), 3_000_000), changedContent],
  ["cut", (big: string) => truncateSync(big, 4_500_000), content.subarray(0, 4_500_000)],
] as const)("rule T4 rule T8: a large file that was %s is hashed while it is sent", async ([, act, wanted]) => {
  const it = await bench();
  act(it.big);
  const projection = await projectFolder(it.context, it.snapshot);
  expect(projection.plan.uploads).toMatchObject([{ path: "big", hash: undefined, sizeBytes: wanted.length }]);
  await stage(it.context, it.snapshot, projection, { branch: "stg", baseCommitId: "c1" });
  expect(it.branch.get("in/big")?.checksum).toBe(md5(wanted));
});

test("a large file that is new is hashed while it is sent", async () => {
  const it = await bench();
  writeFileSync(join(it.folder, "new"), changedContent);
  const projection = await projectFolder(it.context, it.snapshot);
  expect(projection.plan.uploads).toMatchObject([{ path: "new", hash: undefined }]);
  await stage(it.context, it.snapshot, projection, { branch: "stg", baseCommitId: "c1" });
  expect(it.branch.get("in/new")?.checksum).toBe(md5(changedContent));
});

test("rule R2 rule T5: a large file that was touched, or written with the same bytes, is no change", async () => {
  const it = await bench();
  utimesSync(it.big, 1, 1);
  expect((await projectFolder(it.context, it.snapshot)).plan).toMatchObject({ uploads: [], unchangedCount: 1 });
  writeFileSync(it.big, content);
  expect((await projectFolder(it.context, it.snapshot)).plan).toMatchObject({ uploads: [], unchangedCount: 1 });
});

test.for([
  ["went on", true],
  ["began anew", false],
] as const)("rule R2: nor is one whose download was cut and %s", async ([, goesOn]) => {
  let isCut = false;
  const it = await bench({
    intercept: (request, response) => {
      if (!request.target.includes("/objects?path=")) return false;
      const from = /^bytes=(\d+)-/.exec(request.headers["range"] ?? "")?.[1];
      if (from !== undefined && goesOn) {
        const rest = content.subarray(Number(from));
        const range = `bytes ${from}-${content.length - 1}/${content.length}`;
        response.writeHead(206, { "content-length": rest.length, "content-range": range }).end(rest);
        return true;
      }
      if (isCut) return false;
      isCut = true;
      response.writeHead(200, { "content-length": content.length });
      response.write(content.subarray(0, 2_000_000), () => response.destroy());
      return true;
    },
  });
  expect(isCut).toBe(true);
  utimesSync(it.big, 1, 1);
  expect((await projectFolder(it.context, it.snapshot)).plan).toMatchObject({ uploads: [], unchangedCount: 1 });
  writeAt(it.big, Buffer.from("X"), 3_000_000);
  expect((await projectFolder(it.context, it.snapshot)).plan.uploads).toMatchObject([{ hash: undefined }]);
});

test("rule R2: the same holds for a file that came from the cache", async () => {
  const { endpoint } = await fakeLakefs({ c1: new Map([["in/big", fakeObject(content)]]) });
  const cache = cacheAt(tempFolder(), endpoint);
  await bringIn(endpoint, cache);
  const snapshot = await bringIn(endpoint, cache);
  expect(snapshot.cachedCount).toBe(1);
  const big = join(snapshot.folder, "big");
  utimesSync(big, 1, 1);
  expect((await projectFolder(contextTo(endpoint), snapshot)).plan).toMatchObject({ uploads: [], unchangedCount: 1 });
  writeAt(big, Buffer.from("X"), 3_000_000);
  expect((await projectFolder(contextTo(endpoint), snapshot)).plan.uploads).toMatchObject([{ hash: undefined }]);
});

test("rule T8 case T07: a large file that changes between projection and staging fails, and nothing else does", async () => {
  const it = await bench();
  writeAt(it.big, Buffer.from("X"), 0);
  const projection = await projectFolder(it.context, it.snapshot);
  expect((await projectFolder(it.context, it.snapshot)).digest).toBe(projection.digest);
  writeAt(it.big, Buffer.from("Y"), 0);
  expect((await projectFolder(it.context, it.snapshot)).digest).not.toBe(projection.digest);
  const where = { branch: "stg", baseCommitId: "c1" };
  const error = await failureFrom(() => stage(it.context, it.snapshot, projection, where));
  expect(error).toMatchObject({ code: "file_changed", names: ["big"] });
});

test("case B08: a store that answers another MD5 than was sent fails, though nobody knew it before", async () => {
  const it = await bench({ checksumOf: () => "0".repeat(32) });
  writeAt(it.big, Buffer.from("X"), 0);
  const projection = await projectFolder(it.context, it.snapshot);
  const where = { branch: "stg", baseCommitId: "c1" };
  const error = await failureFrom(() => stage(it.context, it.snapshot, projection, where));
  expect(error).toMatchObject({ code: "transfer_mismatch" });
});

test("rule T5 rule P9: against another commit a large file is hashed first: what that has is not sent again", async () => {
  const it = await bench({ later: changedContent });
  writeAt(it.big, Buffer.from("X"), 3_000_000);
  const projection = await projectFolder(it.context, it.snapshot);
  expect(await compareCommit(it.context, it.snapshot, projection, "c2")).toEqual({ equal: true });
  const other = await compareCommit(it.context, it.snapshot, projection, "c1");
  expect(other).toEqual({ equal: false, difference: "big has another content" });
  const again = await projectFolder(it.context, it.snapshot);
  const staged = await stage(it.context, it.snapshot, again, { branch: "stg", baseCommitId: "c2" });
  expect([staged.plan.uploads, it.uploadCount()]).toEqual([[], 0]);
});

test("rule T5: where the disk's ctime proves nothing a large file is hashed to be judged", async () => {
  const it = await bench();
  writeAt(it.big, Buffer.from("X"), 3_000_000);
  const { plan } = await projectFolder(it.context, { ...it.snapshot, records: undefined });
  expect(plan.uploads).toMatchObject([{ hash: md5(changedContent) }]);
});
