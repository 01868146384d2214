import { Readable } from "node:stream";
import { inspect } from "node:util";
import { Agent, type Dispatcher } from "undici";
import { classifyAnswer } from "./classify.ts";
import { encodeTarget, type Query } from "./encode.ts";
import { LakefsError } from "./errors.ts";
import { badResponse, failureOf } from "./failure.ts";
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
  /** `safe` may be repeated; `never` is sent once, on a connection of its own (merge, commit; rule C5). */
  readonly repeat: "safe" | "never";
  /** What the messages name; default are the path segments. */
  readonly subject?: string;
}

/** A successful answer. The chunks must be read to the end or left. */
export interface Answer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly chunks: AsyncIterable<Buffer>;
}

const maxJsonSizeBytes = 64 * 1024 * 1024;
const maxErrorSizeBytes = 64 * 1024;
/** Whole time of a small call. */
export const defaultTimeoutMs = 60_000;
const neverMs = 2 ** 31 - 1;

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

/** The HTTP side of the client: encodes once, bounds everything, drains every body, repeats only what may repeat. */
export class HttpClient {
  readonly #agent: Agent;
  readonly #onceAgent: Agent;
  readonly #authorization: string;
  readonly #secrets: readonly string[];
  readonly #endpoint: { origin: string; host: string; basePath: string };
  readonly #policy: RetryPolicy;
  readonly #clock: RetryClock;
  readonly #proxyVariable: string | undefined;

  constructor(connection: LakefsConnection, parts: HttpParts = {}) {
    const idleMs = connection.idleTimeoutMs ?? 60_000;
    const common = {
      allowH2: false,
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
      connect: { timeout: connection.connectTimeoutMs ?? 10_000, autoSelectFamily: true },
    };
    this.#endpoint = parseEndpoint(connection.endpoint);
    this.#agent = new Agent({ ...common, connections: connection.connectionCount ?? 32, keepAliveTimeout: 4_000 });
    // A stale kept-alive socket would turn a merge into an unknown outcome: these calls get a fresh one each. The
    // call's own deadline bounds them, so that a long merge is not cut by the idle limit.
    this.#onceAgent = new Agent({ ...common, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 1 });
    const pair = Buffer.from(`${connection.accessKeyId}:${connection.secretAccessKey}`).toString("base64");
    this.#authorization = `Basic ${pair}`;
    this.#secrets = [connection.secretAccessKey, pair];
    this.#policy = parts.policy ?? defaultRetryPolicy;
    this.#proxyVariable = connection.proxyVariable;
    this.#clock = parts.clock ?? systemRetryClock;
  }

  /** Calls and reads a JSON answer. */
  json<T>(spec: CallSpec, options: CallOptions, read: (value: unknown) => T): Promise<T> {
    return this.call(spec, { timeoutMs: defaultTimeoutMs, ...options }, async (answer) => {
      const text = await readText(answer, maxJsonSizeBytes, spec);
      const value = parseJson(text, spec);
      try {
        return read(value);
      } catch (error) {
        throw badResponse(spec.operation, subjectOf(spec), error instanceof Error ? error.message : "unexpected shape");
      }
    });
  }

  /** Calls and reads a short text answer (a branch create answers a bare commit id). */
  text(spec: CallSpec, options: CallOptions): Promise<string> {
    return this.call(spec, { timeoutMs: defaultTimeoutMs, ...options }, (answer) =>
      readText(answer, maxErrorSizeBytes, spec),
    );
  }

  /** Calls and hands the answer to `consume`, which is run again on another try where the call may repeat. */
  async call<T>(spec: CallSpec, options: CallOptions, consume: (answer: Answer) => Promise<T>): Promise<T> {
    const deadlineMs = this.#clock.nowMs() + (options.timeoutMs ?? neverMs);
    const attempt = (): Promise<T> => this.#once(spec, options, deadlineMs, consume);
    if (spec.repeat === "never") return await attempt();
    const { signal } = options;
    return await withRetries({ policy: this.#policy, clock: this.#clock, deadlineMs, signal }, attempt);
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
    await Promise.all([this.#agent.destroy(), this.#onceAgent.destroy()]);
  }

  async #once<T>(
    spec: CallSpec,
    options: CallOptions,
    deadlineMs: number,
    consume: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    const budgetMs = Math.max(1, Math.min(neverMs, deadlineMs - this.#clock.nowMs()));
    const controller = new AbortController();
    const timer = budgetMs >= neverMs ? undefined : setTimeout(() => controller.abort(), budgetMs);
    const leave = (): void => controller.abort();
    if (options.signal?.aborted) controller.abort();
    options.signal?.addEventListener("abort", leave, { once: true });
    const fail = (error: unknown): LakefsError =>
      failureOf(error, {
        operation: spec.operation,
        subject: subjectOf(spec),
        host: this.#endpoint.host,
        proxyVariable: this.#proxyVariable,
        callerAborted: options.signal?.aborted ?? false,
        expiredAfterMs: controller.signal.aborted && !options.signal?.aborted ? budgetMs : undefined,
      });
    let response: Dispatcher.ResponseData | undefined;
    const source = guardSource(spec.body);
    try {
      response = await this.#send(spec, source, controller.signal).catch((error: unknown) => {
        throw source.failure() ?? fail(error);
      });
      const answer = answerOf(response, fail);
      if (response.statusCode >= 300) throw await this.#refusal(spec, answer);
      return await consume(answer);
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", leave);
      // A body that nobody read to its end is drained if short, or its connection is given up.
      if (response !== undefined && !response.body.readableEnded) {
        await response.body.dump({ limit: maxErrorSizeBytes }).catch(() => undefined);
      }
    }
  }

  #send(spec: CallSpec, source: GuardedSource, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const headers: Record<string, string> = {
      authorization: this.#authorization,
      accept: "application/json",
      "user-agent": "perago-lakefs-sync",
      ...spec.headers,
    };
    if (spec.json !== undefined) headers["content-type"] = "application/json";
    if (spec.body !== undefined) headers["content-length"] = String(spec.body.sizeBytes);
    const body = spec.json === undefined ? source.open() : JSON.stringify(spec.json);
    const once = spec.repeat === "never";
    return (once ? this.#onceAgent : this.#agent).request({
      origin: this.#endpoint.origin,
      path: encodeTarget(this.#endpoint.basePath, spec.segments, spec.query),
      method: spec.method,
      headers,
      body,
      signal,
      reset: once,
    });
  }

  async #refusal(spec: CallSpec, answer: Answer): Promise<LakefsError> {
    const text = await readText(answer, maxErrorSizeBytes, spec).catch(() => "");
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      value = undefined;
    }
    const isPage = value === undefined && /^\s*</.test(text);
    const said =
      isRecord(value) && typeof value["message"] === "string" ? value["message"] : isPage ? "(a page)" : text;
    const retryAfterMs = parseRetryAfter(answer.header("retry-after"), Date.now());
    return new LakefsError(
      classifyAnswer({
        operation: spec.operation,
        subject: subjectOf(spec),
        status: answer.status,
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

interface GuardedSource {
  open(): Buffer | Readable | null;
  failure(): unknown;
}

/** Remembers what a body source threw: a changed file must not look like a broken connection. */
function guardSource(source: BodySource | undefined): GuardedSource {
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
      return Buffer.isBuffer(body) ? body : Readable.from(guard(body), { objectMode: false });
    },
    failure: () => failure,
  };
}

function answerOf(response: Dispatcher.ResponseData, fail: (error: unknown) => LakefsError): Answer {
  const chunks = async function* (): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of response.body) {
        yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      }
    } catch (error) {
      throw fail(error);
    }
  };
  return {
    status: response.statusCode,
    header: (name) => {
      const value = response.headers[name];
      return typeof value === "string" ? value : value?.[0];
    },
    chunks: chunks(),
  };
}

async function readText(answer: Answer, limitBytes: number, spec: CallSpec): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer.chunks) {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes)
      throw badResponse(spec.operation, subjectOf(spec), `an answer of over ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
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
