import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { afterEach, beforeEach, expect, it } from "vitest";
import { onlyNth, startProxy, type Proxy } from "./proxy.ts";
import type { Deed } from "./deed.ts";

let server: Server;
let proxy: Proxy;
let served: string[];

beforeEach(async () => {
  served = [];
  server = createServer((incoming, outgoing) => {
    served.push(incoming.url ?? "");
    outgoing.end(`answer ${served.length} to ${incoming.url}`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  proxy = await startProxy(`http://127.0.0.1:${address.port}/base`);
});
afterEach(() => {
  proxy.close();
  server.close();
  server.closeAllConnections();
});

async function ask(path: string): Promise<string> {
  const answer = await fetch(`${proxy.url}${path}`);
  return `${answer.status} ${await answer.text()}`;
}

it("forwards, and keeps what it has seen until it is told to forget", async () => {
  expect(await ask("/a?b=1")).toBe("200 answer 1 to /base/a?b=1");
  expect(proxy.requests.map(({ method, path, query }) => `${method} ${path}${query}`)).toEqual(["GET /base/a?b=1"]);
  proxy.forget();
  expect(proxy.requests).toEqual([]);
});

it.each<[string, Deed, string | RegExp, number]>([
  ["a lost request", { kind: "drop_request" }, /fetch failed/, 0],
  ["a lost answer", { kind: "drop_answer" }, /fetch failed/, 1],
  ["an answer of its own", { kind: "answer", status: 503, body: "busy" }, "503 busy", 0],
  ["another answer than the server's", { kind: "replace_answer", status: 500, body: "odd" }, "500 odd", 1],
  ["an answer cut after some bytes", { kind: "cut_answer", afterBytes: 3 }, /terminated|aborted/, 1],
  ["a request that comes twice", { kind: "repeat_request" }, "200 answer 2 to /base/x", 2],
  ["a late request", { kind: "delay_request", until: Promise.resolve() }, "200 answer 1 to /base/x", 1],
  ["a late answer", { kind: "delay_answer", until: 1 }, "200 answer 1 to /base/x", 1],
])("%s: what the client hears and how often the server is asked", async (_what, deed, heard, servedCount) => {
  proxy.meddle(onlyNth(0, ({ path }) => path === "/base/x", deed));
  const told = await ask("/x").catch((error: unknown) => String(error));
  if (typeof heard === "string") expect(told).toBe(heard);
  else expect(told).toMatch(heard);
  expect(served).toHaveLength(servedCount);
  expect(await ask("/x")).toMatch(/^200 /);
});

it("resets the connection where the server is away, and goes on when it is there again", async () => {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
  await expect(ask("/x")).rejects.toThrow("fetch failed");
});
