import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { failureFrom } from "../../test/fake-http.ts";
import { fakeLakefs, fakeObject, type FakeObject } from "../../test/fake-lakefs.ts";
import { addressSecret, FakeStorage, type FakeStorageOptions } from "../../test/fake-storage.ts";
import { contextTo } from "../../test/job-context.ts";
import { putFile, tempFolder } from "../../test/temp-folder.ts";
import type { JobContext } from "./context.ts";
import { projectFolder } from "./project.ts";
import { stage } from "./stage.ts";
import { syncIn } from "./sync-in.ts";

const kibibyte = 1024;
/** The storage's limits a thousandth of their size, parts of at least two pieces. */
const limits = {
  directSizeBytes: kibibyte,
  maxPutSizeBytes: 400 * kibibyte,
  multipartFromSizeBytes: 200 * kibibyte,
  minPartSizeBytes: 5 * kibibyte,
  usualPartSizeBytes: 40 * kibibyte,
  maxPartCount: 10,
};

function bytesOf(sizeBytes: number, first = 0): Buffer {
  return Buffer.from(Array.from({ length: sizeBytes }, (_, index) => (index * 31 + first) % 253));
}

interface Bench {
  readonly storage: FakeStorage;
  readonly branch: Map<string, FakeObject>;
  readonly folder: string;
  readonly context: JobContext;
  readonly stageNow: () => Promise<unknown>;
}

/** An empty input in a folder, and a staging branch, on a storage that gives addresses. */
async function bench(options: FakeStorageOptions = {}, slotCount = 4, taken = limits): Promise<Bench> {
  const branch = new Map<string, FakeObject>();
  const storage = new FakeStorage(branch, options);
  const { endpoint } = await fakeLakefs({ c1: new Map(), stg: branch }, { intercept: storage.intercept });
  const context = { ...contextTo(endpoint), limits: taken, slotCount };
  const folder = join(tempFolder(), "work");
  const snapshot = await syncIn(context, { repository: "r", commitId: "c1", prefix: "in", folder });
  const stageNow = async (): Promise<unknown> => {
    const projection = await projectFolder(context, snapshot);
    return await stage(context, snapshot, projection, { branch: "stg", baseCommitId: "c1" });
  };
  return { storage, branch, folder, context, stageNow };
}

test.for([
  { sizeBytes: limits.maxPutSizeBytes - 1, multipart: false, storageRequestCount: 1 },
  { sizeBytes: limits.maxPutSizeBytes, multipart: false, storageRequestCount: 1 },
  { sizeBytes: limits.maxPutSizeBytes + 1, multipart: false, storageRequestCount: 0 },
  { sizeBytes: limits.multipartFromSizeBytes - 1, multipart: true, storageRequestCount: 1 },
  { sizeBytes: limits.multipartFromSizeBytes, multipart: true, storageRequestCount: 5 },
  { sizeBytes: limits.maxPutSizeBytes + 1, multipart: true, storageRequestCount: 10 },
  { sizeBytes: limits.directSizeBytes, multipart: true, storageRequestCount: 0 },
])("fault G6 case B01: $sizeBytes bytes arrive whole (parts: $multipart)", async (given) => {
  const { sizeBytes, multipart, storageRequestCount } = given;
  const it = await bench({ multipart, maxPutSizeBytes: limits.maxPutSizeBytes });
  putFile(it.folder, "big", bytesOf(sizeBytes));
  await it.stageNow();
  expect(it.branch.get("in/big")?.bytes.equals(bytesOf(sizeBytes))).toBe(true);
  expect(it.storage.requestCount).toBe(storageRequestCount);
});

test.for([true, false])(
  "rule T8: a file that is hashed while it is sent arrives whole (parts: %s)",
  async (multipart) => {
    const it = await bench({ multipart }, 4, { ...limits, maxPutSizeBytes: 8 * kibibyte * kibibyte });
    const bytes = bytesOf(5 * kibibyte * kibibyte);
    putFile(it.folder, "big", bytes);
    await it.stageNow();
    expect(it.branch.get("in/big")?.bytes.equals(bytes)).toBe(true);
    expect(it.storage.requestCount).toBe(multipart ? 10 : 1);
  },
);

test("case B02: a file of 25 limits goes in ten parts, and a part that fails twice is repeated alone", async () => {
  const tries = new Map<number, number>();
  const it = await bench({
    onStorage: (_method, part, response) => {
      tries.set(part, (tries.get(part) ?? 0) + 1);
      if (part !== 4 || (tries.get(part) ?? 0) > 2) return false;
      response.writeHead(500).end();
      return true;
    },
  });
  const bytes = bytesOf(25 * limits.usualPartSizeBytes);
  putFile(it.folder, "big", bytes);
  await it.stageNow();
  expect(it.branch.get("in/big")?.bytes.equals(bytes)).toBe(true);
  expect(it.storage.partSizes.length).toBe(10);
  expect(Math.min(...it.storage.partSizes)).toBeGreaterThanOrEqual(limits.minPartSizeBytes);
  expect([...tries].filter(([, count]) => count > 1)).toEqual([[4, 3]]);
});

test("case B03: addresses that are good for one request only are asked just before each use", async () => {
  const it = await bench({ goodForRequestCount: 0 }, 1);
  for (let index = 0; index < 8; index += 1) putFile(it.folder, `f${index}`, bytesOf(50 * kibibyte, index));
  await it.stageNow();
  expect(it.branch.size).toBe(8);
  expect([it.storage.requestCount, it.storage.addressCount]).toEqual([8, 8]);
});

test.for([1, 2])(
  "fault G8 case B03 case A02: of %i refusals of an address the first is met by a fresh one; no query is shown",
  async (refusalCount) => {
    let refusedCount = 0;
    const it = await bench({
      onStorage: (_method, _part, response) => {
        if (refusedCount >= refusalCount) return false;
        refusedCount += 1;
        response.writeHead(403).end(`<Error><Code>AccessDenied</Code><Url>?${addressSecret}=s3cret-0</Url></Error>`);
        return true;
      },
    });
    putFile(it.folder, "f", bytesOf(50 * kibibyte));
    if (refusalCount === 1) {
      await it.stageNow();
      expect(it.storage.addressCount).toBe(2);
      return;
    }
    const error = await failureFrom(it.stageNow);
    expect(error).toMatchObject({ code: "forbidden", status: 403 });
    expect(String(error)).toContain("in/f");
    expect(String(error)).toContain("AccessDenied");
    for (const text of [inspect(error, { depth: 9, showHidden: true }), inspect(it.context, { depth: 9 })]) {
      expect(text).not.toContain(addressSecret);
      expect(text).not.toContain("s3cret-");
    }
  },
);

test("fault G8 case B04: a completion refused since the address expired says so, and may be tried again", async () => {
  const it = await bench({
    onStaging: (request, response) => {
      if (request.method !== "PUT" || !request.target.includes("/backing")) return false;
      response.writeHead(400).end('{"message": "link address: token expired"}');
      return true;
    },
  });
  putFile(it.folder, "f", bytesOf(50 * kibibyte));
  const error = await failureFrom(it.stageNow);
  expect(error).toMatchObject({ code: "address_expired", status: 400, hint: expect.stringContaining("fresh") });
});

test("case B05: an abort that fails does not hide the first error, and the next attempt starts afresh", async () => {
  let isBroken = true;
  const it = await bench({
    onStorage: (_method, part, response) => {
      if (!isBroken || part !== 2) return false;
      response.writeHead(400).end("<Error><Code>BadDigest</Code></Error>");
      return true;
    },
    onStaging: (request, response) => {
      if (request.method !== "DELETE") return false;
      answer400(response);
      return true;
    },
  });
  putFile(it.folder, "big", bytesOf(300 * kibibyte));
  expect(String(await failureFrom(it.stageNow))).toContain("BadDigest");
  isBroken = false;
  await it.stageNow();
  expect(it.branch.get("in/big")?.bytes.equals(bytesOf(300 * kibibyte))).toBe(true);
  // The half-made one is still there: lakeFS' storage forgets it by its own rules.
  expect(it.storage.uploads.size).toBe(1);
});

function answer400(response: { writeHead: (status: number) => { end: (text: string) => unknown } }): void {
  response.writeHead(400).end('{"message": "no such upload"}');
}

const faults: Record<string, (bytes: Buffer) => Buffer> = {
  less: (bytes) => bytes.subarray(0, bytes.length - 1),
  "other bytes": (bytes) => Buffer.from(bytes.map((byte, index) => (index === 7 ? byte ^ 1 : byte))),
};

test.for([
  [50, "less"],
  [300, "less"],
  [50, "other bytes"],
  [300, "other bytes"],
] as const)("case B08: of %i KiB a storage that keeps %s than it was sent is found out", async ([size, fault]) => {
  const it = await bench({ keep: (bytes) => faults[fault]?.(bytes) ?? bytes });
  putFile(it.folder, "f", bytesOf(size * kibibyte));
  expect(await failureFrom(it.stageNow)).toMatchObject({ code: "transfer_mismatch", names: ["in/f"] });
});

test("rule T8 case L20: a file that changes between its parts fails, and does not appear on the branch", async () => {
  const path: { folder?: string } = {};
  const it = await bench({
    onStorage: (_method, part) => {
      if (part === 5) writeFileSync(join(path.folder ?? "", "big"), bytesOf(400 * kibibyte, 1));
      return false;
    },
  });
  path.folder = it.folder;
  putFile(it.folder, "big", bytesOf(400 * kibibyte));
  expect(await failureFrom(it.stageNow)).toMatchObject({ code: "file_changed", names: ["big"] });
  expect(it.branch.size).toBe(0);
});

test("case B03: large inputs are read from the storage by fresh addresses, and a cut read goes on", async () => {
  const input = new Map([
    ["in/a", fakeObject(bytesOf(700 * kibibyte))],
    ["in/b", fakeObject(bytesOf(500 * kibibyte, 5), "abc-3")],
    ["in/small", fakeObject("s")],
  ]);
  let requestCount = 0;
  const storage = new FakeStorage(input, {
    onStorage: (_method, _part, response) => {
      requestCount += 1;
      if (requestCount === 1) {
        response.writeHead(200, { "content-length": 700 * kibibyte });
        response.write(bytesOf(700 * kibibyte).subarray(0, 300_000), () => response.socket?.destroy());
      }
      if (requestCount === 2) response.writeHead(403).end();
      return requestCount <= 2;
    },
  });
  const { endpoint, seen } = await fakeLakefs({ c1: input }, { intercept: storage.intercept });
  const folder = join(tempFolder(), "work");
  const context = { ...contextTo(endpoint), limits, slotCount: 1 };
  const { objects } = await syncIn(context, { repository: "r", commitId: "c1", prefix: "in", folder });
  expect(readFileSync(join(folder, "a")).equals(bytesOf(700 * kibibyte))).toBe(true);
  expect(readFileSync(join(folder, "b")).equals(bytesOf(500 * kibibyte, 5))).toBe(true);
  expect(objects.hash(1)).toBe(fakeObject(bytesOf(500 * kibibyte, 5)).checksum);
  const ranges = seen.filter((request) => request.target.startsWith("/store/")).map((request) => request.headers.range);
  expect(ranges.slice(1, 3)).toEqual([expect.stringMatching(/^bytes=\d+-716799$/), ranges[1]]);
  expect([storage.requestCount, storage.addressCount]).toEqual([4, 4]);
});

test("case G02 rule I5: bytes that are gone from the storage are terminal, whatever lakeFS knows", async () => {
  const input = new Map([["in/a", fakeObject(bytesOf(50 * kibibyte))]]);
  const storage = new FakeStorage(input, {
    onStorage: (_method, _part, response) => {
      response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
      return true;
    },
  });
  const { endpoint } = await fakeLakefs({ c1: input }, { intercept: storage.intercept });
  const job = { repository: "r", commitId: "c1", prefix: "in", folder: join(tempFolder(), "work") };
  const error = await failureFrom(() => syncIn({ ...contextTo(endpoint), limits }, job));
  expect(error).toMatchObject({ code: "input_data_gone", terminal: true, names: ["in/a"] });
});
