import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";

type Definition = Record<string, unknown>;

/** A Conductor that knows TaskDefs, tokens and empty polls. */
export interface FakeConductor {
  /** Ends in `/api`. */
  readonly url: string;
  readonly port: number;
  readonly definitions: Map<string, Definition>;
  /** `METHOD path` of every request. */
  readonly requests: string[];
  /** Changes what a written definition becomes, as an engine that does not know a field would. */
  keep: (definition: Definition) => Definition;
  /** How long a poll is held open, in milliseconds. */
  pollHoldMs: number;
  /** Words with which a written definition is refused (400); undefined: all are accepted. */
  refusal: string | undefined;
  /** Only this key pair gets a token; undefined: no tokens, as the open-source engine. */
  pair: { readonly keyId: string; readonly keySecret: string } | undefined;
}

/** Listens on 127.0.0.1 until the test has ended. */
export async function fakeConductor(definitions: readonly Definition[] = []): Promise<FakeConductor> {
  const server = createServer((request, response) => void answer(fake, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeConductor = {
    url: `http://127.0.0.1:${port}/api`,
    port,
    definitions: new Map(definitions.map((each) => [String(each["name"]), each])),
    requests: [],
    keep: (definition) => definition,
    refusal: undefined,
    pollHoldMs: 20,
    pair: undefined,
  };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return fake;
}

/** A server that answers 401 to everything. */
export async function refusingServer(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end(JSON.stringify({ message: "error authenticating request" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address where nobody listens. */
export async function deadAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/api`;
}

async function answer(fake: FakeConductor, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", fake.url);
  fake.requests.push(`${request.method} ${pathname}`);
  const body = await bodyOf(request);
  const send = (status: number, value: unknown): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  };
  if (pathname === "/api/token") {
    if (fake.pair === undefined) return send(404, { status: 404, message: "no such path" });
    return body === JSON.stringify(fake.pair) ? send(200, { token: "token-1" }) : send(401, { message: "wrong" });
  }
  if (fake.pair !== undefined && request.headers["x-authorization"] !== "token-1") return send(401, { message: "no" });
  const name = /^\/api\/metadata\/taskdefs\/(.+)$/.exec(pathname)?.[1];
  if (request.method === "GET" && name !== undefined) {
    const found = fake.definitions.get(decodeURIComponent(name));
    return found === undefined ? send(404, { status: 404, message: `no ${name}`, retryable: false }) : send(200, found);
  }
  if (request.method === "POST" && pathname === "/api/metadata/taskdefs") {
    if (fake.refusal !== undefined) return send(400, { status: 400, message: fake.refusal, retryable: false });
    const written = JSON.parse(body) as Definition[];
    for (const each of written) fake.definitions.set(String(each["name"]), fake.keep(each));
    return send(200, written);
  }
  if (pathname.startsWith("/api/tasks/poll/")) {
    await sleep(fake.pollHoldMs);
    return send(200, []);
  }
  return send(404, { status: 404, message: "no such path", retryable: false });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}
