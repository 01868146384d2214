import { inspect } from "node:util";
import { Agent } from "undici";
import { classifyAnswer, classifyFailure } from "./classify.ts";
import { LakefsError } from "./errors.ts";
import { exchange, type ExchangeEnd } from "./exchange.ts";
import { badResponse, failureOf } from "./failure.ts";
import { guardSource, tunedOptions, type BodySource, type HttpParts, type LakefsConnection } from "./http.ts";
import type { AnswerHead, ReceiverSource } from "./receiver.ts";
import { defaultRetryPolicy, parseRetryAfter, systemRetryClock, withRetries, type RetryClock } from "./retry.ts";
import { runInTurn, Throttle } from "./throttle.ts";
import type { CallOptions } from "./types.ts";

/** One request to the storage by a presigned address. */
export interface StorageCall {
  /** The object's key, for messages. */
  readonly subject: string;
  /** Asks for an address; it is asked just before each use, since addresses expire (case B03). */
  readonly address: () => Promise<string>;
}

const server = "the storage's";

/**
 * Speaks to the storage behind lakeFS by presigned addresses. An address is a secret: neither it nor its query is kept
 * or shown (case A02); only host and key are.
 */
export class StorageHttp {
  readonly #agent: Agent;
  readonly #throttle: Throttle;
  readonly #clock: RetryClock;
  readonly #parts: HttpParts;
  readonly #proxyVariable: string | undefined;

  constructor(connection: LakefsConnection, parts: HttpParts = {}) {
    const options = tunedOptions(connection);
    this.#agent = new Agent(options);
    this.#clock = parts.clock ?? systemRetryClock;
    this.#throttle = new Throttle(options.connections ?? 1, this.#clock);
    this.#parts = parts;
    this.#proxyVariable = connection.proxyVariable;
  }

  /** PUT; gives the checksum that the storage answers: its `Content-MD5` as hex, else its ETag without quotes. */
  put(call: StorageCall, source: BodySource, options: CallOptions = {}): Promise<string> {
    return this.#call("PUT", call, source, options, () => {
      let checksum = "";
      return {
        begin: (head) => {
          checksum = checksumOf(head);
        },
        take: () => undefined,
        end: () => {
          if (checksum === "") throw badResponse("PUT", call.subject, "the storage answered without a checksum");
          return checksum;
        },
      };
    });
  }

  /** GET; the receiver may ask for a range. */
  get<T>(call: StorageCall, options: CallOptions, open: ReceiverSource<T>): Promise<T> {
    return this.#call("GET", call, undefined, options, open);
  }

  /** Ends the open connections. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #call<T>(
    method: "GET" | "PUT",
    call: StorageCall,
    source: BodySource | undefined,
    options: CallOptions,
    open: ReceiverSource<T>,
  ): Promise<T> {
    const { signal, timeoutMs } = options;
    const clock = this.#clock;
    const policy = this.#parts.policy ?? defaultRetryPolicy;
    const deadlineMs = timeoutMs === undefined ? Infinity : clock.nowMs() + timeoutMs;
    const busy = `${server} ${method} ${call.subject}: it was too busy for it within the call's time`;
    const notSent = (): LakefsError =>
      new LakefsError({ ...classifyFailure("busy", method, busy), outcome: "not_sent" });
    const turn = { clock, signal, deadlineMs, maxPauseMs: policy.maxRetryAfterMs, notSent };
    const attempt = async (): Promise<T> =>
      await runInTurn(this.#throttle, turn, async () => {
        const url = new URL(await call.address());
        return await this.#once(method, call, url, source, { signal, deadlineMs }, open);
      });
    return await withRetries({ policy, clock, deadlineMs, signal }, async () => {
      try {
        return await attempt();
      } catch (error) {
        // An address that expired on its way is renewed once (case B03).
        if (!(error instanceof LakefsError) || error.status !== 403) throw error;
        return await attempt();
      }
    });
  }

  #once<T>(
    method: "GET" | "PUT",
    call: StorageCall,
    url: URL,
    body: BodySource | undefined,
    bounds: { readonly signal: AbortSignal | undefined; readonly deadlineMs: number },
    open: ReceiverSource<T>,
  ): Promise<T> {
    const { signal, deadlineMs } = bounds;
    const budgetMs = deadlineMs === Infinity ? undefined : Math.max(1, deadlineMs - this.#clock.nowMs());
    const source = guardSource(body);
    const receiver = open();
    const headers: Record<string, string> = { ...receiver.headers };
    if (body !== undefined) {
      headers["content-length"] = String(body.sizeBytes);
      // Azure refuses an upload that does not say what kind of blob it is.
      if (url.hostname.endsWith(".blob.core.windows.net")) headers["x-ms-blob-type"] = "BlockBlob";
    }
    return exchange(this.#agent, {
      request: { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body: source.open() },
      signal,
      budgetMs,
      receiver,
      refuse: (head, answer) => refusal(method, call.subject, head, answer.toString("utf8")),
      fail: (error, end) => source.failure() ?? this.#failure(error, method, call.subject, url, end, budgetMs ?? 0),
    });
  }

  #failure(error: unknown, method: string, subject: string, url: URL, end: ExchangeEnd, budgetMs: number): LakefsError {
    return failureOf(error, {
      server,
      operation: method,
      subject,
      host: url.host,
      proxyVariable: this.#proxyVariable,
      callerAborted: end === "caller",
      expiredAfterMs: end === "deadline" ? budgetMs : undefined,
    });
  }

  /** Shows nothing: addresses are secrets (case A02). */
  [inspect.custom](): string {
    return "StorageHttp()";
  }
}

function checksumOf(head: AnswerHead): string {
  const md5 = Buffer.from(head.header("content-md5") ?? "", "base64");
  if (md5.length === 16) return md5.toString("hex");
  return (head.header("etag") ?? "").replaceAll(/^(W\/)?"|"$/g, "");
}

/** A storage names its error by a code; its other words may repeat the signed address and are left out (case A02). */
function refusal(method: string, subject: string, head: AnswerHead, text: string): LakefsError {
  const words = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(text)?.[1] ?? "";
  const retryAfterMs = parseRetryAfter(head.header("retry-after"), Date.now());
  const asked = retryAfterMs === undefined ? {} : { retryAfterMs };
  // An object's bytes are not there any more, whatever lakeFS knows of them (case G02).
  const status = method === "GET" && head.status === 404 ? 410 : head.status;
  const answer = { server, operation: method, subject, status, words, isMergeResult: false, ...asked };
  return new LakefsError(classifyAnswer(answer));
}
