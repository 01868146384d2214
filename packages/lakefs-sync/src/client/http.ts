import { inspect } from "node:util";
import { Agent, Pool } from "undici";
import { classifyAnswer, classifyFailure } from "./classify.ts";
import { connectorOf } from "./connect.ts";
import { encodeTarget, type Query } from "./encode.ts";
import { LakefsError } from "./errors.ts";
import { exchange, maxErrorSizeBytes, type ExchangeEnd, type ExchangeRequest } from "./exchange.ts";
import { badResponse, failureOf } from "./failure.ts";
import { AnswerTooLong, collectBytes, type AnswerHead, type ReceiverSource } from "./receiver.ts";
import { safeWords } from "./redact.ts";
import {
  defaultRetryPolicy,
  nextDelayMs,
  parseRetryAfter,
  systemRetryClock,
  withRetries,
  type RetryClock,
  type RetryPolicy,
} from "./retry.ts";
import { isRecord } from "./shapes.ts";
import { runInTurn, Throttle } from "./throttle.ts";
import type { CallOptions } from "./types.ts";

/** Where lakeFS is and how to reach it. Plain data: it can cross a thread border; never log it. */
export interface LakefsConnection {
  /** Address without `/api/v1` (a trailing `/api/v1` is accepted and cut). */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Connections kept open at most. Default 32. */
  readonly connectionCount?: number;
  /** Longest wait for a connection, in milliseconds. Default 10,000. */
  readonly connectTimeoutMs?: number;
  /** Longest silence while headers or body are awaited, in milliseconds. Default 60,000 (case B16). */
  readonly idleTimeoutMs?: number;
  /** Name of a proxy variable that is set (`findProxyVariable`); a failed connection then says that it is not used. */
  readonly proxyVariable?: string;
}

/** Replaceable parts, for tests. */
export interface HttpParts {
  readonly policy?: RetryPolicy;
  readonly clock?: RetryClock;
}

/** A request body that can be opened again for another try. */
export interface BodySource {
  readonly sizeBytes: number;
  /** Each piece is the body's again when the next one is asked for: by then it has left for the network. */
  open(): Buffer | AsyncIterable<Buffer>;
}

/** One call, before it is encoded. */
export interface CallSpec {
  /** lakeFS' own operation name. */
  readonly operation: string;
  readonly method: "GET" | "PUT" | "POST" | "DELETE" | "HEAD";
  readonly segments: readonly string[];
  readonly query?: Query;
  readonly json?: unknown;
  readonly body?: BodySource;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * `safe` may be repeated, `refused` only where it is known that nothing was done; `never` is sent once, on a
   * connection of its own (merge, commit; rule C5).
   */
  readonly repeat: "safe" | "refused" | "never";
  /** What the messages name; default are the path segments. */
  readonly subject?: string;
}

const maxJsonSizeBytes = 64 * 1024 * 1024;
/** Whole time of a small call. */
export const defaultTimeoutMs = 60_000;
const defaultConnectionCount = 32;

/** Splits an endpoint into origin and API path; refuses what is no http address. */
export function parseEndpoint(endpoint: string): { origin: string; host: string; basePath: string } {
  const url = URL.parse(endpoint);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new LakefsError({
      code: "bad_request",
      status: 0,
      operation: "connect",
      message: "the lakeFS endpoint is not an http or https address",
      hint: "set it like http://127.0.0.1:8000",
      retryable: false,
      outcome: "not_sent",
    });
  }
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  const path = url.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
  return { origin: url.origin, host: `${url.hostname}:${port}`, basePath: `${path}/api/v1` };
}

/** Settings that all connections share: HTTP/1.1 without pipelining, every silence bounded (cases A07, B16). */
export function tunedOptions(connection: LakefsConnection): Pool.Options {
  const idleMs = connection.idleTimeoutMs ?? 60_000;
  return {
    allowH2: false,
    pipelining: 1,
    connections: connection.connectionCount ?? defaultConnectionCount,
    // Shorter than what servers and proxies usually keep: a socket that they close is not used at that moment.
    keepAliveTimeout: 4_000,
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    connect: connectorOf({ timeoutMs: connection.connectTimeoutMs ?? 10_000 }),
  };
}

/** The HTTP side of the client: encodes once, bounds everything, repeats only what may repeat, gives way under load. */
export class HttpClient {
  readonly #pool: Pool;
  readonly #onceAgent: Agent;
  readonly #throttle: Throttle;
  readonly #authorization: string;
  readonly #secrets: readonly string[];
  readonly #endpoint: { origin: string; host: string; basePath: string };
  readonly #policy: RetryPolicy;
  readonly #clock: RetryClock;
  readonly #proxyVariable: string | undefined;

  constructor(connection: LakefsConnection, parts: HttpParts = {}) {
    const options = tunedOptions(connection);
    this.#endpoint = parseEndpoint(connection.endpoint);
    this.#pool = new Pool(this.#endpoint.origin, options);
    // A stale kept-alive socket would turn a merge into an unknown outcome: these calls get a fresh one each. The
    // call's own deadline bounds them, so that a long merge is not cut by the idle limit.
    this.#onceAgent = new Agent({
      ...options,
      connections: null,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 1,
    });
    const pair = Buffer.from(`${connection.accessKeyId}:${connection.secretAccessKey}`).toString("base64");
    this.#authorization = `Basic ${pair}`;
    this.#secrets = [connection.secretAccessKey, pair];
    this.#policy = parts.policy ?? defaultRetryPolicy;
    this.#proxyVariable = connection.proxyVariable;
    this.#clock = parts.clock ?? systemRetryClock;
    this.#throttle = new Throttle(connection.connectionCount ?? defaultConnectionCount, this.#clock);
  }

  /** Calls and reads a JSON answer. */
  async json<T>(spec: CallSpec, options: CallOptions, read: (value: unknown) => T): Promise<T> {
    return await this.receive(spec, { timeoutMs: defaultTimeoutMs, ...options }, () => {
      const { take, end } = collectBytes(maxJsonSizeBytes)();
      return { take, end: () => readJson(end().toString("utf8"), spec, read) };
    });
  }

  /** Calls and reads a short text answer (a branch create answers a bare commit id). */
  async text(spec: CallSpec, options: CallOptions): Promise<string> {
    const bytes = await this.receive(
      spec,
      { timeoutMs: defaultTimeoutMs, ...options },
      collectBytes(maxErrorSizeBytes),
    );
    return bytes.toString("utf8");
  }

  /** Calls and hands the answer's bytes to a receiver, a new one for each try where the call may repeat. */
  async receive<T>(spec: CallSpec, options: CallOptions, open: ReceiverSource<T>): Promise<T> {
    const { signal, timeoutMs } = options;
    const deadlineMs = timeoutMs === undefined ? Infinity : this.#clock.nowMs() + timeoutMs;
    const once = (): Promise<T> => this.#once(spec, signal, deadlineMs, open);
    if (spec.repeat === "never") return await once();
    const clock = this.#clock;
    const notSent = (): LakefsError => this.#notSent(spec, signal);
    const turn = { clock, signal, deadlineMs, maxPauseMs: this.#policy.maxRetryAfterMs, notSent };
    const mayRepeat = (error: LakefsError): boolean => spec.repeat === "safe" || error.outcome !== "unknown";
    return await withRetries({ policy: this.#policy, clock, deadlineMs, signal, mayRepeat }, () =>
      runInTurn(this.#throttle, turn, once),
    );
  }

  /**
   * The wait before a call that repeats itself by its own rule (createBranch); throws the failure where no wait is
   * left.
   */
  async pauseBeforeTry(tryNumber: number, failed: LakefsError, options: CallOptions): Promise<void> {
    const asked = failed.retryAfterMs;
    const base = { tryNumber, remainingMs: options.timeoutMs ?? defaultTimeoutMs };
    const waitMs = nextDelayMs(
      this.#policy,
      asked === undefined ? base : { ...base, retryAfterMs: asked },
      this.#clock.random(),
    );
    if (waitMs === undefined) throw failed;
    await this.#clock.sleep(waitMs, options.signal);
  }

  /** Ends the open connections. */
  async close(): Promise<void> {
    await Promise.all([this.#pool.destroy(), this.#onceAgent.destroy()]);
  }

  #notSent(spec: CallSpec, signal: AbortSignal | undefined): LakefsError {
    if (signal?.aborted === true) return this.#failure(spec, undefined, "caller", 0);
    const what = `lakeFS ${spec.operation} ${subjectOf(spec)}`;
    const fields = classifyFailure(
      "busy",
      spec.operation,
      `${what}: lakeFS was too busy for it within the call's time`,
    );
    return new LakefsError({ ...fields, outcome: "not_sent" });
  }

  #once<T>(spec: CallSpec, signal: AbortSignal | undefined, deadlineMs: number, open: ReceiverSource<T>): Promise<T> {
    const budgetMs = deadlineMs === Infinity ? undefined : Math.max(1, deadlineMs - this.#clock.nowMs());
    const source = guardSource(spec.body);
    const receiver = open();
    const once = spec.repeat === "never";
    return exchange(once ? this.#onceAgent : this.#pool, {
      request: this.#request(spec, source, receiver.headers),
      signal,
      budgetMs,
      receiver: {
        ...(receiver.begin === undefined ? {} : { begin: (head: AnswerHead) => receiver.begin?.(head) }),
        take: (piece) => named(spec, () => receiver.take(piece)),
        end: () => receiver.end(),
      },
      refuse: (head, body) => this.#refusal(spec, head, body.toString("utf8")),
      fail: (error, end) => source.failure() ?? this.#failure(spec, error, end, budgetMs ?? 0),
    });
  }

  #failure(spec: CallSpec, error: unknown, end: ExchangeEnd, budgetMs: number): LakefsError {
    return failureOf(error, {
      operation: spec.operation,
      subject: subjectOf(spec),
      host: this.#endpoint.host,
      proxyVariable: this.#proxyVariable,
      callerAborted: end === "caller",
      expiredAfterMs: end === "deadline" ? budgetMs : undefined,
    });
  }

  #request(
    spec: CallSpec,
    source: GuardedSource,
    extra: Readonly<Record<string, string>> | undefined,
  ): ExchangeRequest {
    const headers: Record<string, string> = {
      authorization: this.#authorization,
      accept: "application/json",
      "user-agent": "perago-lakefs-sync",
      ...spec.headers,
      ...extra,
    };
    if (spec.json !== undefined) headers["content-type"] = "application/json";
    if (spec.body !== undefined) headers["content-length"] = String(spec.body.sizeBytes);
    return {
      origin: this.#endpoint.origin,
      path: encodeTarget(this.#endpoint.basePath, spec.segments, spec.query),
      method: spec.method,
      headers,
      body: spec.json === undefined ? source.open() : JSON.stringify(spec.json),
      reset: spec.repeat === "never",
    };
  }

  #refusal(spec: CallSpec, head: AnswerHead, text: string): LakefsError {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      value = undefined;
    }
    const isPage = value === undefined && /^\s*</.test(text);
    const said =
      isRecord(value) && typeof value["message"] === "string" ? value["message"] : isPage ? "(a page)" : text;
    const retryAfterMs = parseRetryAfter(head.header("retry-after"), Date.now());
    return new LakefsError(
      classifyAnswer({
        operation: spec.operation,
        subject: subjectOf(spec),
        status: head.status,
        words: safeWords(said, this.#secrets),
        isMergeResult: isRecord(value) && typeof value["reference"] === "string",
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      }),
    );
  }

  /** Shows the host alone: no secret in any debug output (case A01). */
  [inspect.custom](): string {
    return `HttpClient(${this.#endpoint.host})`;
  }
}

function subjectOf(spec: CallSpec): string {
  return spec.subject ?? spec.segments.filter((segment) => !apiWords.has(segment)).join("/");
}

const apiWords: ReadonlySet<string> = new Set(["repositories", "branches", "refs", "objects", "commits", "settings"]);

/** A body source that remembers its own failure. */
export interface GuardedSource {
  open(): Buffer | AsyncIterable<Buffer> | null;
  failure(): unknown;
}

/** Remembers what a body source threw: a changed file must not look like a broken connection. */
export function guardSource(source: BodySource | undefined): GuardedSource {
  let failure: unknown;
  const guard = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* chunks;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  return {
    open: () => {
      if (source === undefined) return null;
      const body = source.open();
      return Buffer.isBuffer(body) ? body : guard(body);
    },
    failure: () => failure,
  };
}

/** An answer that is too long names its call. */
function named(spec: CallSpec, step: () => void): void {
  try {
    step();
  } catch (error) {
    throw error instanceof AnswerTooLong ? badResponse(spec.operation, subjectOf(spec), error.message) : error;
  }
}

function readJson<T>(text: string, spec: CallSpec, read: (value: unknown) => T): T {
  const value = parseJson(text, spec);
  try {
    return read(value);
  } catch (error) {
    throw badResponse(spec.operation, subjectOf(spec), error instanceof Error ? error.message : "unexpected shape");
  }
}

function parseJson(text: string, spec: CallSpec): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    const what = /^\s*</.test(text) ? "a page instead of JSON" : "cut or malformed JSON";
    throw badResponse(spec.operation, subjectOf(spec), what);
  }
}
