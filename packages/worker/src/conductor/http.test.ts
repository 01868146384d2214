import { createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ConductorError } from "./errors.ts";
import { createConductorHttp } from "./http.ts";
import { readTask } from "./read.ts";
import { startFakeEngine, wireTask, type FakeEngine, type FakeHandler } from "./testing/fake-engine.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function engine(handler: FakeHandler): Promise<FakeEngine> {
  const started = await startFakeEngine(handler);
  closers.push(started.close);
  return started;
}

/** A TCP server that does with each connection what the test says. */
async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
}

async function failure(url: string, timeoutMs = 5_000): Promise<ConductorError> {
  const error: unknown = await readTask(createConductorHttp({ serverUrl: url }), "task-1", timeoutMs).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConductorError)) throw new Error(`expected a ConductorError, got ${String(error)}`);
  return error;
}

describe("conductor http", () => {
  it("rule A1: reads an attempt fresh", async () => {
    const server = await engine(() => ({
      json: wireTask({ outputData: { workspace: { ref: "abc" }, result: null } }),
    }));
    const read = await readTask(createConductorHttp({ serverUrl: `${server.url}/` }), "a/b c", 5_000);
    expect(read).toEqual({
      workflowInstanceId: "wf-1",
      taskId: "task-1",
      retryCount: 0,
      scheduledTime: 1_796_059_984_547,
      pollCount: 1,
      workerId: "host-abcdef",
      status: "IN_PROGRESS",
      outputRef: "abc",
      hasResult: true,
    });
    expect(server.requests[0]?.url).toBe("/api/tasks/a%2Fb%20c");
  });

  it("a time limit may be a part of a millisecond: what is left of a lease is no whole number", async () => {
    const server = await engine(() => ({ json: wireTask() }));
    const http = createConductorHttp({ serverUrl: server.url });
    expect(await readTask(http, "task-1", 2_000 / 3)).toMatchObject({ taskId: "task-1" });
  });

  it("case R14: an unknown task is null, by a 404 or by an empty 200", async () => {
    const notFound = await engine(() => undefined);
    expect(await readTask(createConductorHttp({ serverUrl: notFound.url }), "x", 5_000)).toBeNull();
    const empty = await engine(() => ({ text: "" }));
    expect(await readTask(createConductorHttp({ serverUrl: empty.url }), "x", 5_000)).toBeNull();
  });

  it("case R10, case R14: a 404 of a wrong address is no knowledge about the task", async () => {
    for (const answer of [
      { status: 404, text: "<html>not here</html>" },
      { status: 404, json: { status: 404, message: "No static resource tasks/x.", retryable: false } },
    ]) {
      const server = await engine(() => answer);
      const error = await failure(server.url);
      expect(error.code).toBe("conductor_unreadable");
      expect(error.hint).toContain("/api");
    }
  });

  it.each([
    [400, "conductor_refused", false, false],
    [401, "conductor_unauthorized", false, false],
    [403, "conductor_unauthorized", false, false],
    [409, "conductor_refused", true, false],
    [429, "conductor_refused", true, false],
    [500, "conductor_refused", true, false],
    [502, "conductor_refused", true, true],
    [503, "conductor_refused", true, true],
    [504, "conductor_refused", true, true],
  ] as const)(
    "fault E5, case R18: status %i is %s, retryable %s, may have landed %s",
    async (status, code, retryable, landed) => {
      const server = await engine(() => ({
        status,
        json: { status, message: "lock\nnot acquired", retryable: false },
      }));
      const error = await failure(server.url);
      expect(error).toMatchObject({ code, status, retryable, mayHaveLanded: landed });
      expect(error.message).not.toContain("\n");
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each([
    [400, true, true],
    [400, false, false],
    [500, true, true],
    [500, false, true],
  ])("case R18: status %i with the flag retryable %s may be sent again: %s", async (status, flag, retryable) => {
    const server = await engine(() => ({ status, json: { status, message: "no", retryable: flag } }));
    expect(await failure(server.url)).toMatchObject({ code: "conductor_refused", status, retryable });
  });

  it("fault E7: a half-open connection, a stalled body and a body that trickles end at the time limit", async () => {
    const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n";
    const behaviours: ((socket: Socket) => void)[] = [
      () => {},
      (socket) => socket.once("data", () => socket.write(`${head}{"taskId":`)),
      (socket) =>
        socket.once("data", () => {
          socket.write(head);
          const timer = setInterval(() => socket.write(" "), 20);
          socket.once("close", () => clearInterval(timer));
        }),
    ];
    for (const behaviour of behaviours) {
      const startedAtMs = performance.now();
      const error = await failure(await rawServer(behaviour), 300);
      expect(error).toMatchObject({ code: "conductor_no_answer", mayHaveLanded: true, retryable: true });
      expect(performance.now() - startedAtMs).toBeLessThan(3_000);
    }
  });

  it("fault E7: a request that waits for a connection ends at its time limit as well", async () => {
    const http = createConductorHttp({ serverUrl: await rawServer(() => {}) });
    const startedAtMs = performance.now();
    const reads = Array.from({ length: 50 }, (_, index) => readTask(http, `task-${index}`, 300));
    const codes = (await Promise.allSettled(reads)).map((read) => read.status === "rejected" && read.reason.code);
    expect(new Set(codes)).toEqual(new Set(["conductor_no_answer"]));
    expect(performance.now() - startedAtMs).toBeLessThan(5_000);
    await http.close();
  });

  it("fault E7: a reset in the answer, truncated JSON and a proxy's page are never success", async () => {
    const reset = await rawServer((socket) =>
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{", () => socket.resetAndDestroy());
      }),
    );
    expect((await failure(reset)).code).toBe("conductor_no_answer");
    for (const text of ['{"taskId": "task-1", "sta', "<html>sign in</html>", "[]", '{"taskId":"task-1"}']) {
      const server = await engine(() => ({ text }));
      expect((await failure(server.url)).code).toBe("conductor_unreadable");
    }
  });

  it("a read is sent again at once when its kept connection was closed under it, and only once", async () => {
    let cuts = 1;
    const server = await engine(() => (cuts-- > 0 ? "cut" : { json: wireTask() }));
    expect(await readTask(createConductorHttp({ serverUrl: server.url }), "task-1", 5_000)).toMatchObject({
      taskId: "task-1",
    });
    cuts = 5;
    expect((await failure(server.url)).code).toBe("conductor_no_answer");
    expect(cuts).toBe(3);
  });

  it("`localhost` that is only IPv4 works", async () => {
    const server = await engine(() => ({ json: wireTask() }));
    const http = createConductorHttp({ serverUrl: `http://localhost:${server.port}/api` });
    expect(await readTask(http, "task-1", 5_000)).toMatchObject({ taskId: "task-1" });
  });

  it("a server that is down is named with its mend, also as localhost with two addresses", async () => {
    const server = await startFakeEngine(() => undefined);
    await server.close();
    for (const host of ["127.0.0.1", "localhost"]) {
      const error = await failure(`http://${host}:${server.port}/api`);
      expect(error).toMatchObject({ code: "conductor_unreachable", mayHaveLanded: false, retryable: true });
      expect(error.message).toContain(`http://${host}:${server.port}/api`);
      expect(error.hint).toContain("CONDUCTOR_SERVER_URL");
    }
  });

  it("follows no redirect, which could carry a token elsewhere", async () => {
    const server = await engine(() => ({ status: 302, headers: { location: "http://127.0.0.1:1/" } }));
    expect((await failure(server.url)).code).toBe("conductor_refused");
  });
});
