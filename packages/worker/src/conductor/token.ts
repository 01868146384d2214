import type { ConductorLogger } from "@io-orkes/conductor-javascript";
import { refusal, transportError } from "./classify.ts";
import type { ConductorError } from "./errors.ts";

/** Longest that one request for a token may take. */
const TOKEN_REQUEST_TIMEOUT_MS = 15_000;
/** After a failed renewal none is tried for this long, so that a wrong key does not hammer the engine. */
const RENEW_PAUSE_MS = 5_000;

/** Gives the token that goes into `X-Authorization`. */
export interface TokenSource {
  /** The token to use now; undefined where the engine knows no tokens (the open-source engine). */
  current(deadline: AbortSignal): Promise<string | undefined>;
  /** A fresh token after a 401; one renewal at a time, whoever asks (case A06). */
  renew(deadline: AbortSignal): Promise<string | undefined>;
  /** Stops the SDK's refresh timer, which would keep the process alive (case P11). */
  close(): void;
}

interface SdkTokens {
  token(): Promise<string | undefined>;
  stop(): void;
}

/**
 * Tokens by the SDK's client. Throws `ConductorError` `conductor_unauthorized` for a wrong key and
 * `conductor_unreachable` where the engine is away. The SDK is loaded only here, and so only where a key pair is set:
 * it costs 25 MB.
 */
export async function createTokenSource(options: {
  readonly serverUrl: string;
  readonly keyId: string;
  readonly keySecret: string;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
}): Promise<TokenSource> {
  let tokens = await openSdk(options);
  let renewing: Promise<void> | undefined;
  let pausedUntilMs = 0;

  async function reopen(): Promise<void> {
    try {
      const fresh = await openSdk(options);
      tokens.stop();
      tokens = fresh;
    } catch (error) {
      pausedUntilMs = options.nowMs() + RENEW_PAUSE_MS;
      throw error;
    }
  }

  return {
    current: async (deadline) => await until(deadline, tokens.token()),
    async renew(deadline) {
      if (options.nowMs() < pausedUntilMs) return await until(deadline, tokens.token());
      renewing ??= reopen().finally(() => {
        renewing = undefined;
      });
      await until(deadline, renewing);
      return await until(deadline, tokens.token());
    },
    close: () => tokens.stop(),
  };
}

/**
 * The SDK tries a first token 8 times over two minutes, whatever the answer, and takes the address from its own reading
 * of the environment. Its fetch is therefore ours: it goes to our address, and while the client is being made a failure
 * is kept and the SDK is told "no such endpoint", which ends its loop at once.
 */
async function openSdk(options: {
  readonly serverUrl: string;
  readonly keyId: string;
  readonly keySecret: string;
}): Promise<SdkTokens> {
  const { createConductorClient } = await import("@io-orkes/conductor-javascript");
  const origin = options.serverUrl.replace(/\/+$/, "");
  let opening = true;
  let failure: ConductorError | undefined;

  const tokenFetch: typeof fetch = async () => {
    try {
      const response = await fetch(`${origin}/token`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ keyId: options.keyId, keySecret: options.keySecret }),
        redirect: "manual",
        signal: AbortSignal.timeout(TOKEN_REQUEST_TIMEOUT_MS),
      });
      if (response.ok || response.status === 404 || !opening) return response;
      // The words of this answer are left out: some proxies send the request back.
      await response.body?.cancel();
      failure = refusal("POST /token", origin, response.status, "");
    } catch (error) {
      const timedOut = error instanceof Error && error.name === "TimeoutError";
      failure = transportError("POST /token", origin, error, timedOut ? TOKEN_REQUEST_TIMEOUT_MS : undefined);
      if (!opening) throw failure;
    }
    return new Response(null, { status: 404 });
  };

  const silent: ConductorLogger = { debug() {}, info() {}, warn() {}, error() {} };
  const client = await createConductorClient(
    { serverUrl: origin, keyId: options.keyId, keySecret: options.keySecret, logger: silent },
    tokenFetch,
  );
  opening = false;
  if (failure !== undefined) {
    client.stopBackgroundRefresh();
    throw failure;
  }
  return {
    token: async () => (await client.getAuthenticationHeaders())?.["X-Authorization"],
    stop: () => client.stopBackgroundRefresh(),
  };
}

async function until<T>(deadline: AbortSignal, work: Promise<T>): Promise<T> {
  deadline.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(deadline.reason);
  deadline.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    deadline.removeEventListener("abort", onAbort);
  }
}
