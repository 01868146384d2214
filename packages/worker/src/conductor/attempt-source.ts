import type { AttemptSource } from "../attempt/ports/attempt-source.ts";
import { AttemptError } from "../failure.ts";
import { ConductorError } from "./errors.ts";
import type { ConductorHttp } from "./http.ts";
import { withoutQueries, type Redactor } from "../telemetry/redact.ts";
import { readTask } from "./read.ts";
import { sendReport } from "./report.ts";

/** Longest that one read of an attempt may take by default. C9 wants answers younger than 5 s. */
export const ATTEMPT_READ_TIMEOUT_MS = 5_000;

/**
 * Conductor behind the `AttemptSource` port. Failures are `AttemptError`s whose cause is the `ConductorError`:
 * `result_not_ours` where the engine does not know the reported task (case R14: sending again cannot help), else
 * `server_unavailable`.
 */
export function createAttemptSource(
  http: ConductorHttp,
  options: {
    readonly readTimeoutMs?: number;
    /** What no reason may show, whoever wrote its words (rule R3, fault J4). Default: URL queries alone are cut. */
    readonly redactor?: Redactor;
  } = {},
): AttemptSource {
  const redact = options.redactor?.redact ?? withoutQueries;
  const readTimeoutMs = options.readTimeoutMs ?? ATTEMPT_READ_TIMEOUT_MS;
  return {
    async read(taskId) {
      try {
        return await readTask(http, taskId, readTimeoutMs);
      } catch (error) {
        throw asAttemptError(error);
      }
    },
    async report(report, timeoutMs) {
      try {
        const reason = report.reasonForIncompletion;
        const shown = reason === undefined ? report : { ...report, reasonForIncompletion: redact(reason) };
        await sendReport(http, shown, timeoutMs);
      } catch (error) {
        throw asAttemptError(error);
      }
    },
  };
}

function asAttemptError(error: unknown): unknown {
  if (!(error instanceof ConductorError)) return error;
  const code = error.code === "conductor_refused" && error.status === 404 ? "result_not_ours" : "server_unavailable";
  return new AttemptError({ code, message: error.message, hint: error.hint }, { cause: error });
}
