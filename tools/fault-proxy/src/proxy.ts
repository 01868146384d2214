import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Deed } from "./deed.ts";
import { perform, readAll } from "./exchange.ts";

/** A request on its way through the proxy. */
export interface SeenRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly atMs: number;
}

/** Decides what happens to a request. `count` is how many requests of the same method and path came before. */
export type Meddler = (request: SeenRequest, count: number) => Deed | undefined;

/** A proxy on 127.0.0.1 before one real server. */
export interface Proxy {
  /** Address that takes the place of the server's, with the same path. */
  readonly url: string;
  /** All requests that came, oldest first, as far as they are kept. */
  readonly requests: readonly SeenRequest[];
  /** Replaces what is done to requests from now on; none forwards all. */
  meddle(meddler?: Meddler): void;
  /** Forgets the requests and the counts so far, and forwards all. */
  forget(): void;
  /** Ends it; open connections are cut. */
  close(): void;
}

/** How a proxy is started. */
export interface ProxyOptions {
  /** Whether `requests` is filled. Default true; a proxy that runs for long must not. */
  readonly keepsRequests?: boolean;
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
 * Starts a proxy before a server; whoever starts it closes it. Bodies are held whole: it is for small requests. A
 * server that is away is a connection that is reset.
 */
export async function startProxy(serverUrl: string, { keepsRequests = true }: ProxyOptions = {}): Promise<Proxy> {
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
  const count = (request: SeenRequest): number => {
    if (!keepsRequests) return 0;
    requests.push(request);
    const key = `${request.method} ${request.path}`;
    const before = counts.get(key) ?? 0;
    counts.set(key, before + 1);
    return before;
  };
  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readAll(incoming);
    const url = new URL(incoming.url ?? "/", target);
    const seen: SeenRequest = {
      method: incoming.method ?? "GET",
      path: url.pathname,
      query: url.search,
      body: body.toString("utf8"),
      atMs: performance.now(),
    };
    const before = count(seen);
    const deed = meddler?.(seen, before) ?? { kind: "forward" };
    await perform(deed, { incoming, outgoing, body, url, target });
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = portOf(server.address());
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
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function portOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return address;
}
