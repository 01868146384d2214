import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { openConductor, type ConductorClient } from "./client.ts";
import { ConductorError } from "./errors.ts";
import { readTask } from "./read.ts";
import { startFakeEngine, wireTask, type FakeEngine, type FakeHandler } from "./testing/fake-engine.ts";

const auth = { keyId: "key-id-canary", keySecret: "key-secret-canary" };
let server: FakeEngine | undefined;
let client: ConductorClient | undefined;
afterEach(async () => {
  await client?.close();
  client = undefined;
  await server?.close();
});

async function open(handler: FakeHandler, nowMs: () => number = () => performance.now()): Promise<ConductorClient> {
  server = await startFakeEngine(handler);
  client = await openConductor({ serverUrl: server.url, auth }, nowMs);
  return client;
}

describe("token", () => {
  it("every request carries the token that the key pair gave", async () => {
    const http = await open((request) =>
      request.path === "/token" ? { json: { token: "token-1" } } : { json: wireTask() },
    );
    await readTask(http, "task-1", 5_000);
    expect(server?.requests.map((request) => request.path)).toEqual(["/token", "/tasks/task-1"]);
    expect(server?.requests[0]?.json).toEqual(auth);
    expect(server?.requests[1]?.headers["x-authorization"]).toBe("token-1");
  });

  it("an engine without tokens is used without one", async () => {
    const http = await open((request) => (request.path === "/token" ? undefined : { json: wireTask() }));
    await readTask(http, "task-1", 5_000);
    expect(server?.requests[1]?.headers["x-authorization"]).toBeUndefined();
  });

  it("a wrong key is refused at once, after one request, and nothing shows it", async () => {
    const startedAtMs = performance.now();
    const thrown: unknown = await open(() => ({ status: 401, text: `bad ${auth.keySecret}` })).catch(
      (error: unknown) => error,
    );
    expect(thrown).toBeInstanceOf(ConductorError);
    expect(thrown).toMatchObject({ code: "conductor_unauthorized" });
    expect(performance.now() - startedAtMs).toBeLessThan(5_000);
    expect(server?.requests).toHaveLength(1);
    expect(inspect(thrown, { depth: 10 })).not.toContain("canary");
  });

  it("a server that is down is told at once", async () => {
    const down = await startFakeEngine(() => undefined);
    await down.close();
    const opened = openConductor({ serverUrl: down.url, auth }, () => 0);
    await expect(opened).rejects.toMatchObject({ code: "conductor_unreachable" });
  });

  it("case A06: a token gone bad leads to one fresh token, and the request goes through", async () => {
    let valid = "token-1";
    const http = await open((request) => {
      if (request.path === "/token") return { json: { token: valid } };
      if (request.headers["x-authorization"] !== valid) return { status: 401, json: { error: "EXPIRED_TOKEN" } };
      return { json: wireTask() };
    });
    valid = "token-2";
    const reads = await Promise.all([1, 2, 3].map(() => readTask(http, "task-1", 5_000)));
    expect(reads.every((read) => read?.taskId === "task-1")).toBe(true);
    expect(server?.requests.filter((request) => request.path === "/token").length).toBeLessThanOrEqual(3);
  });

  it("case A06: with the token end point down requests fail with a reason, renewal pauses, and later it recovers by itself", async () => {
    let valid = "token-1";
    let tokensUp = true;
    let nowMs = 0;
    const http = await open(
      (request) => {
        if (request.path === "/token") return tokensUp ? { json: { token: valid } } : { status: 503, text: "" };
        if (request.headers["x-authorization"] !== valid) return { status: 401, json: { error: "EXPIRED_TOKEN" } };
        return { json: wireTask() };
      },
      () => nowMs,
    );
    valid = "token-2";
    tokensUp = false;
    await expect(readTask(http, "task-1", 5_000)).rejects.toMatchObject({ code: "conductor_refused" });
    const tokenRequests = (): number => server?.requests.filter((request) => request.path === "/token").length ?? 0;
    const before = tokenRequests();
    await expect(readTask(http, "task-1", 5_000)).rejects.toMatchObject({ code: "conductor_unauthorized" });
    expect(tokenRequests()).toBe(before);
    tokensUp = true;
    nowMs = 10_000;
    expect(await readTask(http, "task-1", 5_000)).toMatchObject({ taskId: "task-1" });
  });
});
