import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { App } from "./app.ts";
import type { FaultControls } from "./faults/controls.ts";
import type { FaultAction, ServerName } from "./faults/rule.ts";

/** A server with its socket. */
export interface Listening {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Ends open connections, then the app. */
  close(): Promise<void>;
}

/** What `listen` needs. */
export interface ListenOptions {
  readonly name: ServerName;
  readonly app: App;
  /** 0: a free one. */
  readonly port: number;
  readonly faults: FaultControls;
}

const IDLE_SOCKET_MS = 60_000;

/** Serves an app on 127.0.0.1 and applies faults to its requests. Rejects where the port is taken. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const answer = getRequestListener((request, env) => serve(options, request, env), { overrideGlobalObjects: false });
  const server = createServer({ keepAliveTimeout: IDLE_SOCKET_MS, requestTimeout: 0 }, (incoming, outgoing) => {
    void answer(incoming, outgoing);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", () => resolve());
  });
  const address = server.address();
  if (!isAddress(address)) throw new Error("the server listens on no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await options.app.close();
    },
  };
}

function isAddress(value: unknown): value is AddressInfo {
  return typeof value === "object" && value !== null && "port" in value;
}

async function serve(options: ListenOptions, request: Request, env: HttpBindings | object): Promise<Response> {
  const outgoing = "outgoing" in env ? env.outgoing : undefined;
  const url = new URL(request.url);
  const seen = { server: options.name, method: request.method, path: url.pathname + url.search };
  const action = options.faults.decide(seen);
  if (action === undefined || outgoing === undefined) return options.app.fetch(request);
  return await withFault(options.app, request, outgoing, action);
}

async function withFault(app: App, request: Request, outgoing: ServerResponse, action: FaultAction): Promise<Response> {
  switch (action.kind) {
    case "drop-request":
      return reset(outgoing);
    case "drop-answer":
      await (await app.fetch(request)).arrayBuffer();
      return reset(outgoing);
    case "delay": {
      if (action.when === "before") await sleep(action.delayMs);
      const response = await app.fetch(request);
      if (action.when === "after") await sleep(action.delayMs);
      return response;
    }
    case "cut-body":
      return await cut(await app.fetch(request), outgoing, action.afterBytes);
    case "answer":
      if (action.performed === true) await (await app.fetch(request)).arrayBuffer();
      return new Response(action.body ?? null, { status: action.status, headers: { ...action.headers } });
  }
}

function reset(outgoing: ServerResponse): Response {
  outgoing.socket?.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

async function cut(response: Response, outgoing: ServerResponse, afterBytes: number): Promise<Response> {
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), "content-length": `${body.length}` });
  const part = body.subarray(0, Math.max(0, Math.min(afterBytes, body.length - 1)));
  await new Promise<void>((resolve) => {
    outgoing.flushHeaders();
    outgoing.write(part, () => resolve());
  });
  outgoing.socket?.destroySoon();
  return RESPONSE_ALREADY_SENT;
}
