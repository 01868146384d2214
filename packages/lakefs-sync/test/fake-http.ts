import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { LakefsClient } from "../src/client/client.ts";
import type { HttpParts, LakefsConnection } from "../src/client/http.ts";
import type { RetryClock } from "../src/client/retry.ts";

/** A secret that must never show up anywhere. */
export const testSecret = "sEcReT-canary-0123456789";

/** One request as the fake server saw it. */
export interface SeenRequest {
  readonly method: string;
  /** Undecoded path and query. */
  readonly target: string;
  readonly body: Buffer;
  readonly headers: IncomingMessage["headers"];
}

/** Answers one request; `seen` holds it and all before it. */
export type Handler = (request: SeenRequest, response: ServerResponse, seenCount: number) => void | Promise<void>;

/** An HTTP server on 127.0.0.1 that answers by a handler and remembers what it saw. Ends with the test. */
export async function fakeHttp(handler: Handler): Promise<{ readonly endpoint: string; readonly seen: SeenRequest[] }> {
  const seen: SeenRequest[] = [];
  const server: Server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("error", () => undefined);
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      const request = { method: incoming.method ?? "", target: incoming.url ?? "", body, headers: incoming.headers };
      seen.push(request);
      void handler(request, response, seen.length);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const { port } = server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, seen };
}

/** A clock whose sleeps end at once and are counted. */
export function fastClock(): RetryClock & { readonly slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    nowMs: () => performance.now(),
    random: () => 0.5,
    sleep: (durationMs) => {
      slept.push(durationMs);
      return Promise.resolve();
    },
  };
}

/** A connection to a fake server with the canary secret. */
export function connectionTo(endpoint: string, extra: Partial<LakefsConnection> = {}): LakefsConnection {
  return { endpoint, accessKeyId: "AKIATEST", secretAccessKey: testSecret, ...extra };
}

/** A client that ends with the test. */
export function clientTo(endpoint: string, parts: HttpParts = {}, extra: Partial<LakefsConnection> = {}): LakefsClient {
  const client = new LakefsClient(connectionTo(endpoint, extra), { clock: fastClock(), ...parts });
  onTestFinished(() => client.close());
  return client;
}

/** Answers JSON. */
export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** Runs something that must fail, and gives its error. */
export async function failureFrom(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}
