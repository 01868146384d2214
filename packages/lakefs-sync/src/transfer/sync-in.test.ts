import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failureFrom } from "../../test/fake-http.ts";
import { fakeLakefs, fakeObject, type FakeFaults, type FakeObject } from "../../test/fake-lakefs.ts";
import { contextTo } from "../../test/job-context.ts";
import { tempFolder } from "../../test/temp-folder.ts";
import { partialFolderOf, syncIn } from "./sync-in.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";

async function bringIn(
  objects: [string, FakeObject][],
  prefix = "in",
  faults: FakeFaults = {},
): Promise<{ parent: string; folder: string; done: Promise<Snapshot> }> {
  const parent = tempFolder();
  const folder = join(parent, "work");
  const { endpoint } = await fakeLakefs({ c1: new Map(objects) }, faults);
  return { parent, folder, done: syncIn(contextTo(endpoint), { repository: "r", commitId: "c1", prefix, folder }) };
}

test("case N19 case N01: empty files and dot files come in, byte for byte, readable and writable", async () => {
  const { folder, done } = await bringIn([
    ["in/_SUCCESS", fakeObject("")],
    ["in/.hidden/x", fakeObject("dot")],
    ["in/big", fakeObject(Buffer.alloc(700_000, "z"))],
  ]);
  const { objects } = await done;
  expect(objects.count).toBe(3);
  expect(statSync(join(folder, "_SUCCESS")).size).toBe(0);
  expect(readFileSync(join(folder, ".hidden/x"), "utf8")).toBe("dot");
  expect(readFileSync(join(folder, "big")).equals(Buffer.alloc(700_000, "z"))).toBe(true);
  expect(statSync(join(folder, "big")).mode & 0o777).toBe(0o644);
});

test("case N02 rule T10: a directory marker becomes a directory", async () => {
  const { folder, done } = await bringIn([
    ["in/empty/", fakeObject("")],
    ["in/full/", fakeObject("")],
    ["in/full/x", fakeObject("x")],
  ]);
  const { objects } = await done;
  expect([...objects.entries()].map((entry) => entry.path)).toEqual(["full/x"]);
  expect(readdirSync(folder).toSorted()).toEqual(["empty", "full"]);
});

test("case N17 rule T11: a prefix without objects is an empty folder", async () => {
  const { folder, done } = await bringIn([["other/x", fakeObject("x")]], "nope");
  expect((await done).objects.count).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

test("case N17 rule I5: a prefix that names an object is terminal", async () => {
  const { parent, done } = await bringIn([["lakes.parquet", fakeObject("x")]], "lakes.parquet/");
  expect(await failureFrom(() => done)).toMatchObject({
    code: "input_unrepresentable",
    terminal: true,
    names: ["lakes.parquet"],
  });
  expect(readdirSync(parent)).toEqual([]);
});

test("fault G3 fault G5 case N12 case N04 rule I5: an impossible listing is terminal, names all keys, writes nothing", async () => {
  const { parent, done } = await bringIn([
    ["in/../evil", fakeObject("x")],
    ["in/a", fakeObject("x")],
    ["in/a/b", fakeObject("x")],
    ["in/ok", fakeObject("x")],
  ]);
  const error = await failureFrom(() => done);
  expect(error).toMatchObject({ code: "input_unrepresentable", terminal: true });
  expect(error).toMatchObject({ names: expect.arrayContaining(["in/../evil", "in/a", "in/a/b"]) });
  expect(readdirSync(parent)).toEqual([]);
});

test("fault G7 case B08 rule T2: bytes shorter than the record fail, naming the key, and leave nothing", async () => {
  const short: FakeFaults = {
    intercept: (request, response) => {
      if (!request.target.includes("/objects?path=in%2Fb")) return false;
      response.writeHead(200, { "content-length": "1" }).end("x");
      return true;
    },
  };
  const { parent, done } = await bringIn(
    [
      ["in/a", fakeObject("one")],
      ["in/b", fakeObject("two")],
    ],
    "in",
    short,
  );
  expect(await failureFrom(() => done)).toMatchObject({ code: "transfer_mismatch", names: ["in/b"], terminal: false });
  expect(readdirSync(parent)).toEqual([]);
});

test("fault G7 case B08: bytes of the right size with another MD5 fail", async () => {
  const { done } = await bringIn([["in/b", fakeObject("two", "0123456789abcdef0123456789abcdef")]]);
  expect(await failureFrom(() => done)).toMatchObject({ code: "transfer_mismatch", names: ["in/b"] });
});

test("case B07: a checksum that is no MD5 is not taken for one", async () => {
  const { done } = await bringIn([["in/b", fakeObject("two", "0123456789abcdef0123456789abcdef-3")]]);
  expect((await done).objects.hash(0)).toBe(fakeObject("two").checksum);
});

test("case T06: a transfer that is cut is taken up again, from the start where the server knows no ranges", async () => {
  let cut = 0;
  const faults: FakeFaults = {
    intercept: (request, response) => {
      if (!request.target.includes("/objects?path=") || cut >= 2) return false;
      cut += 1;
      response.writeHead(200, { "content-length": "700000" });
      response.write(Buffer.alloc(400_000, "q"));
      setImmediate(() => response.socket?.destroy());
      return true;
    },
  };
  const { folder, done } = await bringIn([["in/big", fakeObject(Buffer.alloc(700_000, "z"))]], "in", faults);
  await done;
  expect(readFileSync(join(folder, "big")).equals(Buffer.alloc(700_000, "z"))).toBe(true);
});

test("case T06: a transfer that is cut goes on from where it was, and is checked as a whole", async () => {
  const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, index) => index % 251));
  const ranges: (string | undefined)[] = [];
  const faults: FakeFaults = {
    intercept: (request, response) => {
      if (!request.target.includes("/objects?path=")) return false;
      ranges.push(request.headers.range);
      const start = Number(/^bytes=(\d+)-699999$/.exec(request.headers.range ?? "bytes=0-699999")?.[1]);
      const head = { "content-length": bytes.length - start, "content-range": `bytes ${start}-699999/700000` };
      response.writeHead(start === 0 ? 200 : 206, head);
      if (ranges.length === 3) response.end(bytes.subarray(start));
      else response.write(bytes.subarray(start, start + 300_000), () => response.socket?.destroy());
      return true;
    },
  };
  const { folder, done } = await bringIn([["in/big", fakeObject(bytes)]], "in", faults);
  expect((await done).objects.hash(0)).toBe(fakeObject(bytes).checksum);
  expect(readFileSync(join(folder, "big")).equals(bytes)).toBe(true);
  expect(ranges.length).toBe(3);
  expect(ranges[0]).toBeUndefined();
});

test("case B08: a rest that is not the rest of the same bytes fails, and so does another range than was asked for", async () => {
  for (const shift of [0, 1]) {
    let count = 0;
    const faults: FakeFaults = {
      intercept: (request, response) => {
        if (!request.target.includes("/objects?path=")) return false;
        count += 1;
        const start = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? "bytes=0-")?.[1]) + (count > 1 ? shift : 0);
        const head = { "content-length": 700_000 - start, "content-range": `bytes ${start}-699999/700000` };
        response.writeHead(count === 1 ? 200 : 206, head);
        if (count === 1) response.write(Buffer.alloc(300_000, "z"), () => response.socket?.destroy());
        else response.end(Buffer.alloc(700_000 - start, "other"));
        return true;
      },
    };
    const { done } = await bringIn([["in/big", fakeObject(Buffer.alloc(700_000, "z"))]], "in", faults);
    expect(await failureFrom(() => done)).toMatchObject({ code: "transfer_mismatch", names: ["in/big"] });
  }
});

test("case G02 rule I5: collected data is terminal, names key and commit, is asked for once", async () => {
  let asked = 0;
  const gone: FakeFaults = {
    intercept: (request, response) => {
      if (!request.target.includes("/objects?path=")) return false;
      asked += 1;
      response.writeHead(410).end('{"message": "No data"}');
      return true;
    },
  };
  const { done } = await bringIn([["in/b", fakeObject("two")]], "in", gone);
  const error = await failureFrom(() => done);
  expect(error).toMatchObject({ code: "input_data_gone", terminal: true, names: ["in/b"] });
  expect(String(error)).toContain("c1");
  expect(asked).toBe(1);
});

test("case T06: nothing is built on what an interrupted sync-in left, and no folder is overwritten", async () => {
  const parent = tempFolder();
  const folder = join(parent, "work");
  const { endpoint } = await fakeLakefs({ c1: new Map([["in/a", fakeObject("x")]]) });
  const job = { repository: "r", commitId: "c1", prefix: "in", folder };
  mkdirSync(partialFolderOf(folder));
  expect(await failureFrom(() => syncIn(contextTo(endpoint), job))).toMatchObject({ code: "folder_exists" });
  expect(existsSync(partialFolderOf(folder))).toBe(true);
  writeFileSync(folder, "mine");
  expect(await failureFrom(() => syncIn(contextTo(endpoint), job))).toMatchObject({ code: "folder_exists" });
  expect(readFileSync(folder, "utf8")).toBe("mine");
});

test("case T06: an abort in the middle leaves nothing behind", async () => {
  const parent = tempFolder();
  const controller = new AbortController();
  const stop: FakeFaults = {
    intercept: (request) => {
      if (!request.target.includes("/objects?path=")) return false;
      controller.abort();
      return true;
    },
  };
  const { endpoint } = await fakeLakefs({ c1: new Map([["in/a", fakeObject("x")]]) }, stop);
  const job = { repository: "r", commitId: "c1", prefix: "in", folder: join(parent, "work") };
  await failureFrom(() => syncIn(contextTo(endpoint, controller.signal), job));
  expect(readdirSync(parent)).toEqual([]);
});

test("case B19: with a third of the answers 429 or 503, 200 files come in, boundedly", async () => {
  let count = 0;
  let requests = 0;
  const loaded: FakeFaults = {
    intercept: (_request, response) => {
      requests += 1;
      count = (count * 1103515245 + 12345) % 2147483648;
      if (count % 10 >= 3) return false;
      response.writeHead(count % 2 === 0 ? 429 : 503).end();
      return true;
    },
  };
  const objects = Array.from({ length: 200 }, (_, index): [string, FakeObject] => [
    `in/${index}`,
    fakeObject(`${index}`),
  ]);
  const { done } = await bringIn(objects, "in", loaded);
  expect((await done).objects.count).toBe(200);
  expect(requests).toBeLessThan(500);
});

test("case T06 rule T2: a runtime killed in the middle leaves no folder that looks complete", async () => {
  const folder = join(tempFolder(), "work");
  const killer: { kill?: () => void } = {};
  const { endpoint } = await fakeLakefs(
    {
      c1: new Map([
        ["in/a", fakeObject("one")],
        ["in/b", fakeObject("two")],
      ]),
    },
    {
      intercept: (request) => {
        if (!request.target.includes("/objects?path=in%2Fb")) return false;
        killer.kill?.();
        return true;
      },
    },
  );
  const script = new URL("../../test/sync-in-child.ts", import.meta.url);
  const child = fork(script, [endpoint, folder], { execArgv: ["--conditions=perago-source"] });
  killer.kill = () => child.kill("SIGKILL");
  const [, signal] = await once(child, "exit");
  expect(signal).toBe("SIGKILL");
  expect([existsSync(folder), existsSync(partialFolderOf(folder))]).toEqual([false, true]);
});

test("case B08: a body longer than the record fails and does not hang", async () => {
  const long: FakeFaults = {
    intercept: (request, response) => {
      if (!request.target.includes("/objects?path=")) return false;
      response.writeHead(200).end(Buffer.alloc(5_000_000));
      return true;
    },
  };
  const { parent, done } = await bringIn(
    [
      ["in/a", fakeObject("one")],
      ["in/b", fakeObject(Buffer.alloc(400_000))],
    ],
    "in",
    long,
  );
  expect(await failureFrom(() => done)).toMatchObject({ code: "transfer_mismatch" });
  expect(readdirSync(parent)).toEqual([]);
});
