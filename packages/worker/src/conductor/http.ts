import { Agent, request as send } from "undici";
import { isClosedConnection, refusal, transportError, unreadable } from "./classify.ts";
import { ConductorError } from "./errors.ts";
import type { TokenSource } from "./token.ts";

/** Largest answer that is read, bytes. The engine ends tasks above 10 MiB, and a batch holds several. */
export const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** A read whose kept connection was closed under it is sent again at once, this often. */
const CLOSED_CONNECTION_REPEATS = 1;

/**
 * Connections kept open to the engine: more than slots that talk at once are rare, and further requests wait for one.
 */
const CONNECTION_COUNT = 32;
/** Longest wait for a connection, so that an engine that is away is told sooner than by most time limits. */
const CONNECT_TIMEOUT_MS = 10_000;

/** One request, sent once. */
export interface ConductorRequest {
  readonly method: "GET" | "POST" | "PUT";
  /** Path below the server URL, parts already encoded, e.g. `/tasks/abc`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Body as JSON text. */
  readonly bodyJson?: string;
  /** Bounds the whole exchange, token and body included (fault E7). */
  readonly timeoutMs: number;
  /** Error statuses that are an answer here and do not throw. */
  readonly accept?: readonly number[];
}

/** A whole answer. */
export interface ConductorAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends one request and reads its whole answer. Throws `ConductorError`; repeats nothing but reads on a closed
 * connection.
 */
export interface ConductorHttp {
  /** Server URL without a trailing slash, for messages. */
  readonly origin: string;
  send(request: ConductorRequest): Promise<ConductorAnswer>;
  /** Closes the connections; what is under way ends without an answer. */
  close(): Promise<void>;
}

/**
 * The bounded layer below everything that talks to Conductor. The SDK's own requests repeat up to 3 times after a
 * broken connection and 5 times after a 429, sleep between without looking at a signal, and share one time limit of the
 * whole client; a heartbeat or a result must be sent once and end when we say (rules R4, R8). So the SDK gives the
 * tokens, and requests go through here.
 */
export function createConductorHttp(options: {
  /** Ends in `/api` as a rule; a trailing slash is dropped. */
  readonly serverUrl: string;
  readonly tokens?: TokenSource;
}): ConductorHttp {
  const origin = options.serverUrl.replace(/\/+$/, "");
  const { tokens } = options;
  const agent = new Agent({
    connections: CONNECTION_COUNT,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: CONNECT_TIMEOUT_MS, autoSelectFamily: true },
    // Each exchange has a time limit of its own (fault E7).
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const exchange = createExchange(origin, agent);
  return {
    origin,
    close: () => agent.destroy(),
    async send(request) {
      // Node refuses a part of a millisecond, and what is left of a lease is no whole number.
      const deadline = AbortSignal.timeout(Math.ceil(request.timeoutMs));
      const what = `${request.method} ${request.path}`;
      try {
        const first = await exchange(request, deadline, await tokens?.current(deadline));
        if (tokens === undefined || !asksForFreshToken(first)) return judge(origin, request, what, first);
        // One fresh token, then the refusal stands (case A06).
        const second = await exchange(request, deadline, await tokens.renew(deadline));
        return judge(origin, request, what, second);
      } catch (error) {
        if (error instanceof ConductorError) throw error;
        throw transportError(what, origin, error, deadline.aborted ? request.timeoutMs : undefined);
      }
    },
  };
}

function asksForFreshToken(answer: ConductorAnswer): boolean {
  if (answer.status === 401) return true;
  return answer.status === 403 && /"(EXPIRED|INVALID)_TOKEN"/.test(answer.text);
}

function judge(origin: string, request: ConductorRequest, what: string, answer: ConductorAnswer): ConductorAnswer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  if (request.accept?.includes(answer.status) === true) return answer;
  throw refusal(what, origin, answer.status, answer.text);
}

type Exchange = (
  request: ConductorRequest,
  deadline: AbortSignal,
  token: string | undefined,
) => Promise<ConductorAnswer>;

function createExchange(origin: string, agent: Agent): Exchange {
  return async (request, deadline, token) => {
    const repeats =
      request.method === "GET" && !request.path.startsWith("/tasks/poll/") ? CLOSED_CONNECTION_REPEATS : 0;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await exchangeOnce({ origin, agent, request, deadline, token });
      } catch (error) {
        if (attempt < repeats && isClosedConnection(error) && !deadline.aborted) continue;
        throw error;
      }
    }
  };
}

async function exchangeOnce({
  origin,
  agent,
  request,
  deadline,
  token,
}: {
  readonly origin: string;
  readonly agent: Agent;
  readonly request: ConductorRequest;
  readonly deadline: AbortSignal;
  readonly token: string | undefined;
}): Promise<ConductorAnswer> {
  const headers: Record<string, string> = { accept: "application/json, text/plain" };
  if (request.bodyJson !== undefined) headers["content-type"] = "application/json";
  if (token !== undefined) headers["x-authorization"] = token;
  // Redirects are not followed: one would turn a POST into a GET and could carry the token elsewhere.
  const answer = await send(address(origin, request), {
    dispatcher: agent,
    method: request.method,
    headers,
    signal: deadline,
    ...(request.bodyJson === undefined ? {} : { body: request.bodyJson }),
  });
  const text = await readBounded(answer.body, origin, request);
  // A server or proxy that sends our token back must not bring it into a message (case A01).
  return { status: answer.statusCode, text: token === undefined ? text : text.replaceAll(token, "[redacted]") };
}

async function readBounded(body: AsyncIterable<Buffer>, origin: string, request: ConductorRequest): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  // Throwing out of the loop ends the stream and its connection.
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > MAX_ANSWER_BYTES) {
      throw unreadable(`${request.method} ${request.path}`, origin, `more than ${MAX_ANSWER_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function address(origin: string, request: ConductorRequest): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return `${origin}${request.path}${text === "" ? "" : `?${text}`}`;
}
