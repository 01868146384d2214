import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { startEmulator, type Emulator } from "../src/emulator.ts";

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function start(options: Parameters<typeof startEmulator>[0] = {}): Promise<Emulator> {
  const emulator = await startEmulator(options);
  undo.push(() => emulator.close());
  return emulator;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "perago-emulator-test-"));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function call(emulator: Emulator, method: string, path: string, json?: object): Promise<Response> {
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

test("both servers answer on 127.0.0.1, each on a free port", async () => {
  const [one, two] = [await start(), await start()];
  expect(new Set([one.lakefs.url, two.lakefs.url, one.conductor.url, two.conductor.url]).size).toBe(4);
  expect(one.lakefs.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(one.conductor.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/);
  expect((await fetch(`${one.lakefs.url}/api/v1/healthcheck`)).status).toBe(204);
});

test("an ephemeral folder is gone after close, which may be called twice", async () => {
  const emulator = await startEmulator();
  expect(existsSync(emulator.folder)).toBe(true);
  await Promise.all([emulator.close(), emulator.close()]);
  expect(existsSync(emulator.folder)).toBe(false);
  await expect(fetch(`${emulator.lakefs.url}/api/v1/healthcheck`)).rejects.toThrow(/fetch failed/);
});

test("a folder keeps repositories and credentials from one start to the next", async () => {
  const folder = newFolder();
  const first = await startEmulator({ folder });
  const json = { name: "kept", storage_namespace: "local://perago/kept" };
  expect((await call(first, "POST", "/repositories", json)).status).toBe(201);
  await first.close();
  const second = await start({ folder });
  expect(second.lakefs.accessKeyId).toBe(first.lakefs.accessKeyId);
  expect((await call(second, "GET", "/repositories/kept")).status).toBe(200);
});

test("credentials of a new folder may be given", async () => {
  const credentials = { accessKeyId: "some-key", secretAccessKey: "some:secret" };
  const emulator = await start({ credentials });
  expect(emulator.lakefs).toMatchObject(credentials);
  expect((await call(emulator, "GET", "/repositories")).status).toBe(200);
});

test("a folder is used by one emulator at a time", async () => {
  const folder = newFolder();
  const first = await startEmulator({ folder });
  await expect(startEmulator({ folder })).rejects.toThrow(/in use by another emulator/);
  await first.close();
  await start({ folder });
});

test("a folder that is ephemeral too is refused", async () => {
  await expect(startEmulator({ folder: newFolder(), ephemeral: true })).rejects.toThrow(TypeError);
});

test("a port that is taken is refused, and the folder is free again", async () => {
  const taken = Number(new URL((await start()).lakefs.url).port);
  const folder = newFolder();
  await expect(startEmulator({ folder, conductorPort: taken })).rejects.toThrow(/EADDRINUSE/);
  await start({ folder });
});

test("it starts in less than half a second", async () => {
  const times: number[] = [];
  for (let at = 0; at < 5; at += 1) {
    const before = performance.now();
    await start();
    times.push(performance.now() - before);
  }
  expect(Math.min(...times)).toBeLessThan(500);
});

test("the lakeFS part lives on the emulator's clock", async () => {
  const emulator = await start();
  const json = { name: "later", storage_namespace: "local://perago/later" };
  await call(emulator, "POST", "/repositories", json);
  emulator.clock.advance(86_400_000);
  const commit = { message: "a day later", allow_empty: true };
  const made: unknown = await (
    await call(emulator, "POST", "/repositories/later/branches/main/commits", commit)
  ).json();
  expect(made).toMatchObject({ creation_date: expect.any(Number) });
  const seconds = Number(/"creation_date":(\d+)/.exec(JSON.stringify(made))?.[1]);
  expect(seconds * 1000 - Date.now()).toBeGreaterThan(86_000_000);
});

test.for([
  ["GET", "/auth/users", "ListUsers"],
  ["POST", "/repositories/some-repo/branches/main/import", "ImportStart"],
  ["GET", "/repositories/some-repo/settings/gc_rules", "GetGCRules"],
  ["POST", "/repositories/some-repo/pulls", "CreatePullRequest"],
] as const)(
  "an operation of the real server that is outside is refused by its name: %s %s",
  async ([method, path, name]) => {
    const response = await call(await start(), method, path, method === "POST" ? {} : undefined);
    expect(response.status).toBe(501);
    expect((await response.text()).toLowerCase()).toContain(`${name.toLowerCase()} is not in the emulator`);
  },
);

test("a hook that is no Lua is refused by its name", async () => {
  const emulator = await start();
  await call(emulator, "POST", "/repositories", { name: "hooked", storage_namespace: "local://perago/hooked" });
  const { url, accessKeyId, secretAccessKey } = emulator.lakefs;
  const action =
    "name: web\non:\n  pre-commit:\nhooks:\n  - id: web\n    type: webhook\n    properties:\n      url: http://x\n";
  await fetch(`${url}/api/v1/repositories/hooked/branches/main/objects?path=_lakefs_actions/web.yaml`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}` },
    body: action,
  });
  const response = await call(emulator, "POST", "/repositories/hooked/branches/main/commits", { message: "m" });
  expect(response.status).toBe(501);
  expect(await response.text()).toContain("a hook of type webhook is not in the emulator");
});
