import { classifyFailure } from "./classify.ts";
import { LakefsError } from "./errors.ts";
import { proxyHint } from "./proxy-hint.ts";

const connectCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const certificateCodes: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

function textField(error: unknown, name: "code" | "syscall"): string {
  if (typeof error !== "object" || error === null || !(name in error)) return "";
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" ? value : "";
}

function failedToConnect(error: unknown): boolean {
  if (textField(error, "syscall") === "connect" || connectCodes.has(textField(error, "code"))) return true;
  return (
    error instanceof AggregateError && error.errors.length > 0 && error.errors.every((one) => failedToConnect(one))
  );
}

/** How a request without an answer ended. */
export interface FailedExchange {
  /** Who was asked; default "lakeFS". */
  readonly server?: string;
  readonly operation: string;
  readonly subject: string;
  /** `host:port`, never a whole address. */
  readonly host: string;
  /** A proxy variable of the environment, which this client does not use. */
  readonly proxyVariable: string | undefined;
  readonly callerAborted: boolean;
  /** Set where the call's own deadline ended it, in milliseconds. */
  readonly expiredAfterMs: number | undefined;
}

/** Maps whatever the HTTP layer threw to a typed error that names host, operation and what is known of the outcome. */
export function failureOf(error: unknown, exchange: FailedExchange): LakefsError {
  if (error instanceof LakefsError) return error;
  const { operation, subject, host } = exchange;
  const what = `${exchange.server ?? "lakeFS"} ${operation} ${subject}`;
  const code = textField(error, "code");
  if (failedToConnect(error)) {
    return new LakefsError(
      classifyFailure(
        "unreachable",
        operation,
        `${what}: cannot connect to ${host} (${code || "no answer"})`,
        proxyHint(exchange.proxyVariable),
      ),
    );
  }
  if (certificateCodes.has(code)) {
    const fields = classifyFailure(
      "unreachable",
      operation,
      `${what}: the certificate of ${host} is not trusted (${code})`,
    );
    const hint = "set NODE_EXTRA_CA_CERTS to the file of the authority that signed it";
    return new LakefsError({ ...fields, hint, retryable: false });
  }
  if (exchange.callerAborted) {
    return new LakefsError(classifyFailure("aborted", operation, `${what}: ended by the caller`));
  }
  if (exchange.expiredAfterMs !== undefined) {
    const message = `${what}: no whole answer from ${host} within ${Math.round(exchange.expiredAfterMs)} ms`;
    return new LakefsError(classifyFailure("unknown", operation, message));
  }
  const reason = code || (error instanceof Error ? error.name : "unknown cause");
  return new LakefsError(
    classifyFailure(
      "unknown",
      operation,
      `${what}: the connection to ${host} failed (${reason})`,
      proxyHint(exchange.proxyVariable),
    ),
  );
}

/** An answer that is not what lakeFS answers. */
export function badResponse(operation: string, subject: string, why: string): LakefsError {
  return new LakefsError(classifyFailure("bad_response", operation, `lakeFS ${operation} ${subject}: ${why}`));
}
