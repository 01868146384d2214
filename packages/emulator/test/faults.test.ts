import { afterEach, beforeEach, expect, test } from "vitest";
import { startEmulator, type Emulator } from "../src/emulator.ts";
import { createFaults } from "../src/faults/controls.ts";

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator();
  await call("POST", "/repositories", { name: "faulty", storage_namespace: "local://perago/faulty" });
});
afterEach(async () => {
  await emulator.close();
});

async function call(method: string, path: string, json?: object): Promise<Response> {
  const { url, accessKeyId, secretAccessKey } = emulator.lakefs;
  return fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`,
      "content-type": "application/json",
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
}

const branches = "/repositories/faulty/branches";
const make = async (name: string): Promise<number> => (await call("POST", branches, { name, source: "main" })).status;
const exists = async (name: string): Promise<boolean> => (await call("GET", `${branches}/${name}`)).status === 200;

test("a dropped answer: the work is done, the client does not hear of it (fault B1)", async () => {
  const fault = emulator.faults.add({ kind: "drop-answer", method: "POST", path: /\/branches$/ });
  await expect(make("done")).rejects.toThrow(/fetch failed|terminated/);
  expect(await exists("done")).toBe(true);
  expect(fault).toMatchObject({ seen: 1, hits: 1 });
  expect(await make("next")).toBe(201);
});

test("a dropped request: nothing is done", async () => {
  emulator.faults.add({ kind: "drop-request", method: "POST", path: "/branches" });
  await expect(make("not-done")).rejects.toThrow(/fetch failed|terminated/);
  expect(await exists("not-done")).toBe(false);
});

test("the n-th matching request is hit, and as many as are asked for", async () => {
  const fault = emulator.faults.add({
    kind: "answer",
    status: 429,
    method: "POST",
    path: "/branches",
    nth: 2,
    times: 2,
  });
  expect([await make("a"), await make("b"), await make("c"), await make("d")]).toEqual([201, 429, 429, 201]);
  expect(fault).toMatchObject({ seen: 4, hits: 2 });
});

test("an answer of one's own, before the work or after it (fault B5)", async () => {
  const common = { kind: "answer", status: 502, body: "bad gateway", headers: { "retry-after": "1" } } as const;
  emulator.faults.add({ ...common, path: "/branches" });
  const refused = await call("POST", branches, { name: "before", source: "main" });
  expect([refused.status, await refused.text(), refused.headers.get("retry-after")]).toEqual([502, "bad gateway", "1"]);
  expect(await exists("before")).toBe(false);
  emulator.faults.add({ ...common, path: "/branches", performed: true });
  expect(await make("after")).toBe(502);
  expect(await exists("after")).toBe(true);
});

test("a cut body: the status and some bytes arrive, the rest does not", async () => {
  emulator.faults.add({ kind: "cut-body", path: "/branches", afterBytes: 10 });
  const response = await call("GET", branches);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow(/fetch failed|terminated/);
  expect((await call("GET", branches)).status).toBe(200);
});

test("a delay, before the work or after it", async () => {
  for (const when of ["before", "after"] as const) {
    emulator.faults.add({ kind: "delay", delayMs: 80, when, path: "/branches" });
    const start = performance.now();
    expect(await make(when)).toBe(201);
    expect(performance.now() - start).toBeGreaterThan(70);
  }
});

test("a fault is for one server, and ends when it is removed", async () => {
  emulator.faults.add({ kind: "answer", status: 500, server: "conductor", times: 100 });
  const own = emulator.faults.add({ kind: "answer", status: 500, server: "lakefs", times: 100 });
  expect((await call("GET", branches)).status).toBe(500);
  expect((await fetch(`${emulator.conductor.url}/metadata/taskdefs`)).status).toBe(500);
  own.remove();
  expect((await call("GET", branches)).status).toBe(200);
  emulator.faults.clear();
  expect((await fetch(`${emulator.conductor.url}/metadata/taskdefs`)).status).not.toBe(500);
});

test("of several faults that hit one request the first one counts, the others have seen it", () => {
  const faults = createFaults();
  const first = faults.add({ kind: "answer", status: 500 });
  const second = faults.add({ kind: "answer", status: 429 });
  const request = { server: "lakefs", method: "GET", path: "/x" } as const;
  expect(faults.decide(request)).toMatchObject({ status: 500 });
  expect([first.hits, second.hits, second.seen]).toEqual([1, 0, 1]);
  expect(faults.decide(request)).toBeUndefined();
});
