import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { atEnd } from "./at-end.ts";
import { listenOn } from "./listen-on.ts";

/** A request on its way through the proxy. */
export interface SeenRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly atMs: number;
}

/** What the proxy does to a request. `forward` is what happens without a rule. */
export type Deed =
  | { readonly kind: "forward" }
  /** The server gets it and answers; the client's connection is reset instead (a lost answer). */
  | { readonly kind: "drop_answer" }
  /** The server never gets it; the connection is reset (a lost request). */
  | { readonly kind: "drop_request" }
  /** It is sent to the server after a wait, or when the promise resolves; the client waits as long as it likes. */
  | { readonly kind: "delay_request"; readonly until: number | Promise<unknown> }
  /** The server answers at once; the client hears it after a wait. */
  | { readonly kind: "delay_answer"; readonly until: number | Promise<unknown> }
  /** The server gets it; the client hears another answer than the server's. */
  | { readonly kind: "replace_answer"; readonly status: number; readonly body: string }
  /** An answer of the proxy's own; the server never gets the request. */
  | { readonly kind: "answer"; readonly status: number; readonly body: string };

/** Decides what happens to a request. `count` is how many requests of the same method and path came before. */
export type Meddler = (request: SeenRequest, count: number) => Deed | undefined;

/** A proxy on 127.0.0.1 before one real server. */
export interface Proxy {
  /** Address that takes the place of the server's, with the same path. */
  readonly url: string;
  /** All requests that came, oldest first. */
  readonly requests: readonly SeenRequest[];
  /** Replaces what is done to requests from now on; none forwards all. */
  meddle(meddler?: Meddler): void;
  /** Forgets the requests and the counts so far, and forwards all. */
  forget(): void;
}

/** What a meddler says, with the n-th request that `matches` (from 0) as the only one touched. */
export function onlyNth(nth: number, matches: (request: SeenRequest) => boolean, deed: Deed): Meddler {
  let seen = 0;
  return (request) => {
    if (!matches(request)) return undefined;
    seen += 1;
    return seen - 1 === nth ? deed : undefined;
  };
}

/**
 * Starts a proxy before a server; it ends with the test or test file that starts it. Bodies are held whole: it is for
 * small requests.
 */
export async function startProxy(serverUrl: string): Promise<Proxy> {
  const target = new URL(serverUrl);
  const requests: SeenRequest[] = [];
  const counts = new Map<string, number>();
  let meddler: Meddler | undefined;
  const server = createServer((incoming, outgoing) => {
    // A client that leaves early is no error of the proxy.
    incoming.on("error", () => {});
    outgoing.on("error", () => {});
    void handle(incoming, outgoing).catch(() => outgoing.socket?.resetAndDestroy());
  });
  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readAll(incoming);
    const url = new URL(incoming.url ?? "/", target);
    const { method = "GET" } = incoming;
    const seen = {
      method,
      path: url.pathname,
      query: url.search,
      body: body.toString("utf8"),
      atMs: performance.now(),
    };
    requests.push(seen);
    const key = `${method} ${seen.path}`;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    const deed = meddler?.(seen, count) ?? { kind: "forward" };
    await perform(deed, { incoming, outgoing, body, url, target });
  }
  const { port } = await listenOn(server);
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${port}${target.pathname === "/" ? "" : target.pathname}`,
    requests,
    meddle(next) {
      meddler = next;
    },
    forget() {
      requests.length = 0;
      counts.clear();
      meddler = undefined;
    },
  };
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
  readonly url: URL;
  readonly target: URL;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function perform(deed: Deed, exchange: Exchange): Promise<void> {
  const { outgoing } = exchange;
  if (deed.kind === "answer") {
    outgoing.writeHead(deed.status, { "content-type": "application/json" }).end(deed.body);
    return;
  }
  if (deed.kind === "drop_request") {
    outgoing.socket?.resetAndDestroy();
    return;
  }
  if (deed.kind === "delay_request") await passed(deed.until);
  const answer = await forward(exchange);
  if (deed.kind === "delay_answer") await passed(deed.until);
  if (deed.kind === "drop_answer") {
    outgoing.socket?.resetAndDestroy();
    return;
  }
  if (deed.kind === "replace_answer") {
    outgoing.writeHead(deed.status, { "content-type": "application/json" }).end(deed.body);
    return;
  }
  outgoing.writeHead(answer.status, answer.headers).end(answer.body);
}

async function passed(until: number | Promise<unknown>): Promise<void> {
  await (typeof until === "number" ? pause(until) : until);
}

/** Sends a request on, on a connection of its own, and reads the whole answer. */
function forward({ incoming, body, url, target }: Exchange): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { connection: _, "transfer-encoding": __, ...headers } = incoming.headers;
    const options = {
      host: target.hostname,
      port: target.port,
      method: incoming.method ?? "GET",
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, "content-length": String(body.length) },
      agent: false as const,
    };
    const sent = httpRequest(options, (answer) => {
      readAll(answer).then((bytes) => {
        const { connection: ___, "transfer-encoding": ____, ...rest } = answer.headers;
        resolve({ status: answer.statusCode ?? 502, headers: rest, body: bytes });
      }, reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
