import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";

/** A request that went through. */
export interface PassedRequest {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly atMs: number;
}

/** A proxy on 127.0.0.1 that passes everything on as it comes and remembers what it was. */
export interface CountingProxy {
  /** Takes the place of the server's address, with the same path. */
  readonly url: string;
  readonly requests: readonly PassedRequest[];
  forget(): void;
  close(): Promise<void>;
}

/** Starts a proxy before a server. */
export async function startCountingProxy(serverUrl: string): Promise<CountingProxy> {
  const target = new URL(serverUrl);
  const agent = new Agent({ keepAlive: true });
  const requests: PassedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? "/", target);
    requests.push({ method: incoming.method ?? "GET", path: url.pathname, atMs: performance.now() });
    const { hostname: host, port } = target;
    const { method, headers } = incoming;
    const sent = request({ host, port, method, path: `${url.pathname}${url.search}`, headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, outgoing).catch(() => outgoing.destroy());
    });
    sent.on("error", () => outgoing.destroy());
    pipeline(incoming, sent).catch(() => outgoing.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = addressOf(server.address());
  return {
    url: `http://127.0.0.1:${port}${target.pathname === "/" ? "" : target.pathname}`,
    requests,
    forget: () => {
      requests.length = 0;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

function addressOf(address: AddressInfo | string | null): AddressInfo {
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return address;
}
