import { z } from "zod";
import {
  parsePublishBudget,
  publishBudgetWarnings,
  type PublishBudget,
  type PublishBudgetFields,
} from "@perago/budget";
import { errorAt, isRecord, joinPath, warningAt, type Finding } from "./finding.ts";
import { zodFindings } from "./zod-findings.ts";

/** How Conductor retries a task that ended FAILED. */
export interface RetryPolicy {
  /** Retries after the first attempt, 0 to 10; default 3. */
  readonly count?: number;
  /** How the delay grows; default FIXED. */
  readonly logic?: "FIXED" | "LINEAR_BACKOFF" | "EXPONENTIAL_BACKOFF";
  /** Seconds before a retry; default 60. */
  readonly delaySeconds?: number;
  /** Most seconds before a retry, 0 for no limit; default 0. */
  readonly maxDelaySeconds?: number;
  /** Random extra milliseconds before a retry; default 0. */
  readonly backoffJitterMs?: number;
}

/** When Conductor gives an attempt up, and what happens then. */
export interface TimeoutPolicy {
  /** What a time-out does; default TIME_OUT_WF. */
  readonly policy?: "TIME_OUT_WF" | "RETRY" | "ALERT_ONLY";
  /** Seconds that one attempt may take, 0 for no limit; default 0 (rule A5). */
  readonly seconds?: number;
  /** Seconds without a heartbeat after which an attempt is lost, at least 1; default 600 (case C01). */
  readonly responseSeconds?: number;
  /** Seconds that a task may wait for a worker, 0 for no limit; not sent where left out (case C12). */
  readonly pollSeconds?: number;
  /** Seconds that all attempts may take together, 0 for no limit; default 0. */
  readonly totalSeconds?: number;
}

/** How many starts of a task Conductor hands out. Both numbers or neither. */
export interface RateLimit {
  /** Starts per window, at least 1. */
  readonly perFrequency: number;
  /** Seconds of the window, at least 1. */
  readonly frequencySeconds: number;
}

/** How much of a task runs at once. Left out of the TaskDef where unset. No means to guard a prefix: the fence is. */
export interface TaskLimits {
  /** Attempts at one time, at least 1. */
  readonly concurrentExecutions?: number;
  readonly rateLimit?: RateLimit;
}

/** The operational settings of a task. All but the publish budget end in the TaskDef. */
export interface TaskControls {
  readonly retry?: RetryPolicy;
  readonly timeout?: TimeoutPolicy;
  readonly limits?: TaskLimits;
  /** Time budget of a publication; only for writable workspaces, never in the TaskDef. */
  readonly publishBudget?: PublishBudgetFields;
}

const MAX_INT32 = 2_147_483_647;
const whole = (min: number, description: string, max: number = MAX_INT32) =>
  z.int().min(min).max(max).describe(description);

const retrySchema = z.strictObject({
  count: whole(0, "retries after the first attempt, 0 to 10", 10).default(3),
  logic: z
    .enum(["FIXED", "LINEAR_BACKOFF", "EXPONENTIAL_BACKOFF"])
    .describe("FIXED, LINEAR_BACKOFF or EXPONENTIAL_BACKOFF")
    .default("FIXED"),
  delaySeconds: whole(0, "whole seconds before a retry, at least 0").default(60),
  maxDelaySeconds: whole(0, "most whole seconds before a retry, 0 for no limit").default(0),
  backoffJitterMs: whole(0, "random extra whole milliseconds before a retry, at least 0").default(0),
});

const timeoutSchema = z.strictObject({
  policy: z
    .enum(["TIME_OUT_WF", "RETRY", "ALERT_ONLY"])
    .describe("TIME_OUT_WF, RETRY or ALERT_ONLY")
    .default("TIME_OUT_WF"),
  seconds: whole(0, "whole seconds for one attempt, 0 for no limit").default(0),
  responseSeconds: whole(1, "whole seconds between heartbeats, at least 1").default(600),
  pollSeconds: whole(0, "whole seconds that a task may wait for a worker, 0 for no limit").optional(),
  totalSeconds: whole(0, "whole seconds for all attempts together, 0 for no limit").default(0),
});

const limitsSchema = z.strictObject({
  concurrentExecutions: whole(1, "attempts at one time, at least 1").optional(),
  rateLimit: z
    .strictObject({
      perFrequency: whole(1, "starts per window, at least 1; needs frequencySeconds too"),
      frequencySeconds: whole(1, "whole seconds of the window, at least 1; needs perFrequency too"),
    })
    .optional(),
});

const controlsSchema = z.strictObject({
  retry: retrySchema.prefault({}),
  timeout: timeoutSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  publishBudget: z.unknown().optional(),
});

/** A {@link TimeoutPolicy} with its defaults; `pollSeconds` stays unset where the task does not set it (case C12). */
export interface ResolvedTimeout extends Required<Omit<TimeoutPolicy, "pollSeconds">> {
  readonly pollSeconds?: number | undefined;
}

/** {@link TaskLimits} as checked; they have no defaults. */
export interface ResolvedLimits {
  readonly concurrentExecutions?: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
}

/** Controls with every default filled in. */
export interface ResolvedControls {
  readonly retry: Required<RetryPolicy>;
  readonly timeout: ResolvedTimeout;
  readonly limits: ResolvedLimits;
  /** The budget in force: only on a writable workspace. */
  readonly publishBudget?: PublishBudget;
}

/** How a task publishes, as far as the budget's rules ask. */
export type PublishingMode = "none" | "readOnly" | "writable";

/** Controls of unknown origin, checked: the resolved controls (defaults where broken) and all findings. */
export interface CheckedControls {
  readonly controls: ResolvedControls;
  readonly findings: readonly Finding[];
}

/** Checks controls against the TaskDef rules of Conductor and the budget rules; pure, all findings at once. */
export function checkControls(input: unknown, mode: PublishingMode): CheckedControls {
  const raw = input ?? {};
  const parsed = controlsSchema.safeParse(raw);
  const findings: Finding[] = parsed.success ? [] : zodFindings(parsed.error, raw, "controls", controlsSchema);
  findings.push(...checkTimeouts(raw));
  const { retry, timeout, limits } = parsed.success ? parsed.data : controlsSchema.parse({});
  const budget = checkBudget(isRecord(raw) ? raw["publishBudget"] : undefined, mode, timeoutOf(raw, "responseSeconds"));
  findings.push(...budget.findings);
  const controls = { retry, timeout, limits, ...(budget.budget === undefined ? {} : { publishBudget: budget.budget }) };
  return { controls: Object.freeze(controls), findings };
}

const TIMEOUT_DEFAULTS = timeoutSchema.parse({});

/** A number of `timeout` with its default, or NaN where it is broken: comparisons with NaN find nothing. */
function timeoutOf(raw: unknown, field: "seconds" | "responseSeconds" | "totalSeconds" | "pollSeconds"): number {
  const timeout = isRecord(raw) ? (raw["timeout"] ?? {}) : {};
  const value = isRecord(timeout) ? (timeout[field] ?? TIMEOUT_DEFAULTS[field] ?? 0) : Number.NaN;
  return Number.isSafeInteger(value) ? Number(value) : Number.NaN;
}

/** Below this a busy worker pool would time out tasks that only wait their turn (case C12). */
const USUAL_QUEUE_WAIT_SECONDS = 60;

/** The rules that join two numbers (case C02) and the warnings about time (rule A5, case C12). */
function checkTimeouts(raw: unknown): Finding[] {
  const findings: Finding[] = [];
  const [seconds, total] = [timeoutOf(raw, "seconds"), timeoutOf(raw, "totalSeconds")];
  const [response, poll] = [timeoutOf(raw, "responseSeconds"), timeoutOf(raw, "pollSeconds")];
  if (seconds > 0 && response > seconds) {
    const message = `timeout.responseSeconds ${response} is more than timeout.seconds ${seconds}; Conductor refuses it`;
    const usual = TIMEOUT_DEFAULTS.responseSeconds;
    const hint = `Set responseSeconds (default ${usual}) to at most ${seconds}, or raise seconds.`;
    findings.push(errorAt("controls.timeout.responseSeconds", "response_over_timeout", message, hint));
  }
  if (total > 0 && seconds > total) {
    const message = `timeout.seconds ${seconds} is more than timeout.totalSeconds ${total}; Conductor refuses it`;
    const hint = `Set seconds to at most ${total}, or raise totalSeconds.`;
    findings.push(errorAt("controls.timeout.seconds", "timeout_over_total", message, hint));
  }
  if (seconds === 0) {
    const message = "timeout.seconds is 0: a hung body would live for ever, because the host keeps its lease";
    const hint = "Set controls.timeout.seconds to the most that one attempt may take.";
    findings.push(warningAt("controls.timeout.seconds", "body_time_unlimited", message, hint));
  }
  if (poll > 0 && poll < USUAL_QUEUE_WAIT_SECONDS) {
    const message =
      `timeout.pollSeconds ${poll} is below a usual queue wait (${USUAL_QUEUE_WAIT_SECONDS} s): ` +
      "tasks that only wait for a free worker would be timed out by the same policy";
    const hint = "Raise it, or leave it out: no limit.";
    findings.push(warningAt("controls.timeout.pollSeconds", "poll_timeout_short", message, hint));
  }
  return findings;
}

const BUDGET_PATH = "controls.publishBudget";

function checkBudget(
  input: unknown,
  mode: PublishingMode,
  responseSeconds: number,
): { readonly budget?: PublishBudget; readonly findings: readonly Finding[] } {
  if (input === undefined) return { findings: [] };
  const findings: Finding[] = [];
  if (mode === "none") {
    const message = "controls.publishBudget stands on a task without a workspace, which publishes nothing";
    findings.push(errorAt(BUDGET_PATH, "budget_without_workspace", message, "Remove it, or declare a workspace."));
  }
  const parsed = parsePublishBudget(input);
  if (!parsed.ok) {
    for (const { path, code, message, hint } of parsed.findings) {
      findings.push(errorAt(path === "" ? BUDGET_PATH : joinPath(BUDGET_PATH, path), code, message, hint));
    }
    return { findings };
  }
  if (mode === "none") return { findings };
  const use = { budget: parsed.budget, responseSeconds, readOnly: mode === "readOnly" };
  for (const { code, message, hint } of publishBudgetWarnings(use)) {
    findings.push(warningAt(BUDGET_PATH, code, message, hint));
  }
  return mode === "writable" ? { budget: parsed.budget, findings } : { findings };
}
