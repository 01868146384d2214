import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as it came over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly json: unknown;
}

/**
 * What a handler answers: a status and a body (text, or anything that becomes JSON). `hang` never answers, `cut`
 * drops the connection.
 */
export type FakeAnswer =
  | {
      readonly status?: number;
      readonly json?: unknown;
      readonly text?: string;
      readonly headers?: Record<string, string>;
    }
  | "hang"
  | "cut";

export type FakeHandler = (request: WireRequest) => FakeAnswer | undefined | Promise<FakeAnswer | undefined>;

/**
 * A server on 127.0.0.1 that keeps every request and answers by the handler; what the handler leaves open is a 404 of
 * the engine's shape.
 */
export interface FakeEngine {
  /** Ends in `/api`. */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly WireRequest[];
  close(): Promise<void>;
}

export async function startFakeEngine(handler: FakeHandler, port = 0): Promise<FakeEngine> {
  const requests: WireRequest[] = [];
  const server: Server = createServer((incoming, response) => {
    void serve(incoming, response, handler, requests);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/api`,
    port: address.port,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  handler: FakeHandler,
  requests: WireRequest[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString("utf8");
  const url = incoming.url ?? "";
  const parsed = new URL(url, "http://fake");
  const request: WireRequest = {
    method: incoming.method ?? "",
    url,
    path: parsed.pathname.replace(/^\/api/, ""),
    query: parsed.searchParams,
    headers: incoming.headers,
    body,
    json: parseOrUndefined(body),
  };
  requests.push(request);
  const answer = (await handler(request)) ?? {
    status: 404,
    json: { status: 404, message: `nothing at ${request.path}`, instance: "fake", retryable: false },
  };
  if (answer === "hang") return;
  if (answer === "cut") {
    incoming.socket.resetAndDestroy();
    return;
  }
  const text = answer.text ?? (answer.json === undefined ? "" : JSON.stringify(answer.json));
  response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
  response.end(text);
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A task as the engine hands it out, with what a test changes. */
export function wireTask(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    taskType: "features.build",
    taskDefName: "features.build",
    status: "IN_PROGRESS",
    referenceTaskName: "build",
    retryCount: 0,
    seq: 1,
    pollCount: 1,
    scheduledTime: 1_796_059_984_547,
    startTime: 1_796_059_984_799,
    responseTimeoutSeconds: 30,
    workflowInstanceId: "wf-1",
    taskId: "task-1",
    workerId: "host-abcdef",
    iteration: 0,
    inputData: { params: { a: 1 } },
    outputData: {},
    somethingNew: { in: "a later engine" },
    ...changes,
  };
}
