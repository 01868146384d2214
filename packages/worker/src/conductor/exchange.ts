import { Pool, type Dispatcher } from "undici";
import { unreadable } from "./classify.ts";
import { TIMED_OUT, type Deadline } from "./deadline.ts";

/** Largest answer that is read, bytes. The engine ends tasks above 10 MiB, and a batch holds several. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** Connections kept open to the engine: more slots that talk at once are rare, and further requests wait for one. */
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

/** The kept connections to one server. */
export interface Exchanger {
  /** Sends the request once and reads the whole answer, whatever its status; rejects when the time is over. */
  exchange(request: ConductorRequest, deadline: Deadline, token: string | undefined): Promise<ConductorAnswer>;
  /** Ends them; what is under way ends without an answer. */
  close(): Promise<void>;
}

const GET_HEADERS = ["accept", "application/json, text/plain"];
const BODY_HEADERS = [...GET_HEADERS, "content-type", "application/json"];

/**
 * Opens connections as they are needed. Over undici's `dispatch`, which makes no stream of an answer that is read as a
 * whole: requests are most of what a host does for a task that does little (bench B6).
 */
export function createExchanger(origin: string): Exchanger {
  const { origin: server, pathname } = new URL(origin);
  const root = pathname.replace(/\/$/, "");
  const pool = new Pool(server, {
    connections: CONNECTION_COUNT,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: CONNECT_TIMEOUT_MS, autoSelectFamily: true },
    // Each exchange has a time limit of its own (fault E7).
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    close: () => pool.destroy(),
    async exchange(request, deadline, token) {
      const { method, bodyJson } = request;
      const plain = bodyJson === undefined ? GET_HEADERS : BODY_HEADERS;
      const headers = token === undefined ? plain : [...plain, "x-authorization", token];
      const answer = new WholeAnswer(request, deadline, origin);
      // Redirects are not followed: one would turn a POST into a GET and could carry the token elsewhere.
      const path = `${root}${request.path}${queryText(request)}`;
      pool.dispatch({ path, method, headers, ...(bodyJson === undefined ? {} : { body: bodyJson }) }, answer);
      const { status, text } = await answer.whole;
      // A server or proxy that sends our token back must not bring it into a message (case A01).
      return { status, text: token === undefined ? text : text.replaceAll(token, "[redacted]") };
    },
  };
}

/** One answer: there when it has ended, and given up at once when the time is over, also while its request waits. */
class WholeAnswer implements Dispatcher.DispatchHandler {
  readonly #settle = Promise.withResolvers<ConductorAnswer>();
  readonly #request: ConductorRequest;
  readonly #deadline: Deadline;
  readonly #origin: string;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #sizeBytes = 0;

  constructor(request: ConductorRequest, deadline: Deadline, origin: string) {
    this.#request = request;
    this.#deadline = deadline;
    this.#origin = origin;
    deadline.whenOver((reason) => this.#giveUp(reason));
  }

  get whole(): Promise<ConductorAnswer> {
    return this.#settle.promise;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#deadline.isOver) controller.abort(TIMED_OUT);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#sizeBytes += chunk.byteLength;
    this.#chunks.push(chunk);
    if (this.#sizeBytes <= MAX_ANSWER_BYTES) return;
    const { method, path } = this.#request;
    this.#giveUp(unreadable(`${method} ${path}`, this.#origin, `more than ${MAX_ANSWER_BYTES} bytes`));
  }

  onResponseEnd(): void {
    const [first] = this.#chunks;
    const bytes = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#settle.resolve({ status: this.#status, text: bytes.toString("utf8") });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle.reject(error);
  }

  /** Ends the connection with it: what it still brings is nobody's. */
  #giveUp(reason: Error): void {
    this.#settle.reject(reason);
    this.#controller?.abort(reason);
  }
}

function queryText({ query }: ConductorRequest): string {
  if (query === undefined) return "";
  const named = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) named.set(name, String(value));
  }
  const text = named.toString();
  return text === "" ? "" : `?${text}`;
}
