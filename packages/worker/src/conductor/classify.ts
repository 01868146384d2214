import { z } from "zod";
import { safeText } from "../telemetry/line.ts";
import { withoutQueries } from "../telemetry/redact.ts";
import { ConductorError } from "./errors.ts";

/** Letters of a refusing answer that go into a message. */
const BODY_EXCERPT_LENGTH = 200;
/** Letters that are looked at for it. */
const READ_FOR_EXCERPT_LENGTH = 2000;
const NEVER_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
  "ERR_INVALID_URL",
]);
/** Statuses of something before the engine: what it passed on may still be under way. */
const GATEWAY_STATUSES = new Set([408, 499, 502, 503, 504]);
const RETRYABLE_4XX = new Set([408, 409, 423, 425, 429]);

const engineErrorSchema = z.object({ message: z.string(), retryable: z.boolean().optional() });

/**
 * The code of a failed `fetch`: it stands on the cause, or on the first of its causes when several addresses were
 * tried.
 */
export function transportCode(error: unknown): string | undefined {
  let current: unknown = error;
  for (let depth = 0; depth < 4 && current instanceof Error; depth += 1) {
    if ("code" in current && typeof current.code === "string") return current.code;
    if (current instanceof AggregateError && current.errors.length > 0) current = current.errors[0];
    else current = current.cause;
  }
  return undefined;
}

/** True where a kept connection was closed under the request: a read may be sent again at once. */
export function isClosedConnection(error: unknown): boolean {
  const code = transportCode(error);
  return code === "ECONNRESET" || code === "UND_ERR_SOCKET" || code === "EPIPE";
}

/**
 * A request that got no whole answer, as an error that names the host and the mend. What `fetch` threw is not kept as
 * its cause: a parser's error holds the bytes of the answer, and those of a server that sends requests back hold the
 * token (case A01).
 */
export function transportError(what: string, origin: string, error: unknown, timedOutAfterMs?: number): ConductorError {
  if (timedOutAfterMs !== undefined) {
    return new ConductorError({
      code: "conductor_no_answer",
      message: `Conductor at ${origin} did not answer within ${timedOutAfterMs} ms (${what})`,
      hint: `Look at the engine's load and at what lies between this host and ${origin}`,
      retryable: true,
      mayHaveLanded: true,
    });
  }
  const code = transportCode(error);
  if (code !== undefined && (NEVER_SENT.has(code) || isTlsCode(code))) {
    return new ConductorError({
      code: "conductor_unreachable",
      message: `Conductor at ${origin} cannot be reached: ${code} (${what})`,
      hint: connectHint(origin, code),
      retryable: true,
      mayHaveLanded: false,
    });
  }
  return new ConductorError({
    code: "conductor_no_answer",
    message: `the connection to Conductor at ${origin} ended without an answer: ${code ?? "unknown"} (${what})`,
    hint: `Look at the engine's log and at what lies between this host and ${origin}`,
    retryable: true,
    mayHaveLanded: true,
  });
}

/**
 * An answer with an error status. The engine's own `retryable` flag is believed where it says yes; where it says no the
 * status decides, for the engine says so of nearly every fault, also of those that pass (case R18).
 */
export function refusal(what: string, origin: string, status: number, text: string): ConductorError {
  const engine = parseEngineError(text);
  const words = oneLine(engine?.message ?? text);
  if (status === 401 || status === 403) {
    return new ConductorError({
      code: "conductor_unauthorized",
      message: `Conductor at ${origin} refuses the credentials: ${status} (${what})`,
      hint: "Check CONDUCTOR_AUTH_KEY and CONDUCTOR_AUTH_SECRET, and that the key may poll and update tasks",
      status,
      retryable: false,
      mayHaveLanded: false,
    });
  }
  return new ConductorError({
    code: "conductor_refused",
    message: `Conductor at ${origin} answered ${status}: ${words === "" ? "no words" : words} (${what})`,
    hint: refusalHint(status, engine === undefined),
    status,
    // A 409 "lock not acquired" says retryable false, and is over a moment later (fault E5).
    retryable: engine?.retryable === true || status >= 500 || RETRYABLE_4XX.has(status),
    mayHaveLanded: GATEWAY_STATUSES.has(status),
  });
}

/** An answer with a good status that is not what the engine sends (fault E7: truncated JSON, a proxy's page). */
export function unreadable(what: string, origin: string, detail: string): ConductorError {
  return new ConductorError({
    code: "conductor_unreadable",
    message: `the answer of ${origin} is not Conductor's: ${oneLine(detail)} (${what})`,
    hint: "Check that CONDUCTOR_SERVER_URL is the engine's own address and ends in /api",
    retryable: true,
    mayHaveLanded: true,
  });
}

function parseEngineError(text: string): z.infer<typeof engineErrorSchema> | undefined {
  try {
    const parsed = engineErrorSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

function refusalHint(status: number, notTheEngine: boolean): string {
  if (status === 404 && notTheEngine) return "Check that CONDUCTOR_SERVER_URL ends in /api";
  if (status === 429) return "The engine limits requests: use fewer hosts or slots";
  if (status >= 500) return "Look at the engine's log";
  return "Look at the engine's words; the request is logged with its path";
}

function connectHint(origin: string, code: string): string {
  if (isTlsCode(code))
    return "Name the private certificate authority in NODE_EXTRA_CA_CERTS; checks cannot be switched off";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `Check the host name in CONDUCTOR_SERVER_URL (${origin})`;
  return `Start Conductor, or correct CONDUCTOR_SERVER_URL (${origin})`;
}

function isTlsCode(code: string): boolean {
  return /^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/.test(code);
}

/** Words of an answer: one line, bounded before it is looked at, without queries (cases A01, A02; fault J5). */
function oneLine(text: string): string {
  const read = withoutQueries(text.slice(0, READ_FOR_EXCERPT_LENGTH));
  const flat = safeText(
    read
      .toWellFormed()
      .replace(/[\s\u0000-\u001f]+/g, " ")
      .trim(),
  );
  return flat.length > BODY_EXCERPT_LENGTH ? `${flat.slice(0, BODY_EXCERPT_LENGTH).toWellFormed()}…` : flat;
}
