import { z } from "zod";
import { LOG_LEVELS } from "../telemetry/log.ts";
import { Secret } from "./secret.ts";
import { parseDurationMs, parseSizeBytes } from "./units.ts";

/** Slots are numbered with four digits. */
export const MAX_SLOTS_PER_HOST = 9_999;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Staging and merging of a running attempt must be over by then, and its merge out of the network (rules R2, X3). */
const MIN_BRANCH_TTL_MS = HOUR_MS;
/** A longer interval does not fit a timer of Node. */
const MAX_INTERVAL_MS = 24 * DAY_MS;
const MAX_DURATION_MS = 3_650 * DAY_MS;

const duration = (example: string, { maxMs = MAX_DURATION_MS, minMs = 0 } = {}) =>
  z.string().transform((text, context) => {
    const durationMs = parseDurationMs(text);
    if (durationMs !== undefined && durationMs <= maxMs && durationMs >= minMs) return durationMs;
    const limit = durationMs === undefined ? "not a duration" : outOf(durationMs, { maxMs, minMs });
    context.addIssue({
      code: "custom",
      message: limit,
      params: { hint: `Write a whole number and s, m, h or d, such as ${example}` },
    });
    return z.NEVER;
  });

function outOf(durationMs: number, { maxMs, minMs }: { readonly maxMs: number; readonly minMs: number }): string {
  return durationMs > maxMs ? `longer than ${maxMs / DAY_MS}d` : `shorter than ${minMs / HOUR_MS}h`;
}

const size = (example: string) =>
  z.string().transform((text, context) => {
    const sizeBytes = parseSizeBytes(text);
    if (sizeBytes !== undefined) return sizeBytes;
    context.addIssue({
      code: "custom",
      message: "not a size",
      params: { hint: `Write a number and B, KB, MB or GB (powers of 1024), such as ${example}` },
    });
    return z.NEVER;
  });

/** A size, or 0 for "off". */
const sizeOrOff = (example: string) =>
  z.string().transform((text, context) => {
    const sizeBytes = text === "0" ? 0 : parseSizeBytes(text);
    if (sizeBytes !== undefined) return sizeBytes;
    context.addIssue({
      code: "custom",
      message: "not a size",
      params: { hint: `Write a number and B, KB, MB or GB (powers of 1024), such as ${example}, or 0 for none` },
    });
    return z.NEVER;
  });

const whole = (min: number, max: number) =>
  z.string().transform((text, context) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    context.addIssue({
      code: "custom",
      message: "not such a number",
      params: { hint: `Write a whole number from ${min} to ${max}` },
    });
    return z.NEVER;
  });

const address = (example: string) =>
  z.string().transform((text, context) => {
    const problem = addressProblem(text);
    if (problem === undefined) return text;
    // The value is not repeated: it may hold a password.
    context.addIssue({ code: "custom", message: problem, params: { hint: `Write an address such as ${example}` } });
    return z.NEVER;
  });

const secret = z.string().transform((text) => new Secret(text));

const EXECUTION_MODES = ["process", "thread"] as const;

const executionMode = z.string().transform((text, context) => {
  const mode = EXECUTION_MODES.find((known) => known === text.toLowerCase());
  if (mode !== undefined) return mode;
  context.addIssue({ code: "custom", message: "not an execution mode", params: { hint: "Use process or thread" } });
  return z.NEVER;
});

const HARD_FENCE_MODES = ["off", "auto", "required"] as const;

const hardFence = z.string().transform((text, context) => {
  const mode = HARD_FENCE_MODES.find((one) => one === text.toLowerCase());
  if (mode !== undefined) return mode;
  const params = { hint: `Use ${HARD_FENCE_MODES.join(", ")}, or leave it out` };
  context.addIssue({ code: "custom", message: "no such mode of the hard fence", params });
  return z.NEVER;
});

const workerIdPrefix = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, {
  error: "only letters, digits, and . _ - after the first, at most 100",
});

const slots = z.array(
  z.string().transform((text, context) => {
    const match = /^(.+)=(\d{1,4})$/.exec(text);
    const count = Number(match?.[2]);
    if (match?.[1] !== undefined && count >= 1) return { taskName: match[1], slotCount: count };
    context.addIssue({
      code: "custom",
      message: `not a number of slots: ${text}`,
      params: { hint: "Write --slots <task name>=<n>, n from 1 to 9999" },
    });
    return z.NEVER;
  }),
);

/** Names of lakeFS with `*` and `?`: a pattern with anything else would match nothing, silently. */
const TARGET_PATTERN = /^[-\w*?]+\/[-\w*?]+$/;

const targetPatterns = z.string().transform((text, context) => {
  const patterns = text.split(",").map((pattern) => pattern.trim());
  for (const pattern of patterns) {
    if (TARGET_PATTERN.test(pattern)) continue;
    const message = pattern === "" ? "holds an empty pattern" : `not a pattern of repository/branch: ${pattern}`;
    const hint = "Write repository/branch, such as songs/main, songs/* or songs-?/release-*, with commas between";
    context.addIssue({ code: "custom", message, params: { hint } });
  }
  return patterns;
});

/** The one schema of flags and environment; keys are variable names, and flags as they are typed. */
export const settingsSchema = z.object({
  CONDUCTOR_SERVER_URL: address("http://127.0.0.1:8080/api").optional(),
  CONDUCTOR_AUTH_KEY: secret.optional(),
  CONDUCTOR_AUTH_SECRET: secret.optional(),
  LAKECTL_SERVER_ENDPOINT_URL: address("http://127.0.0.1:8000").optional(),
  LAKECTL_CREDENTIALS_ACCESS_KEY_ID: z.string().optional(),
  LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: secret.optional(),
  PERAGO_WORKSPACE_ROOT: z.string().optional(),
  PERAGO_WORKSPACE_MIN_FREE: size("512MB").default(512 * 1024 ** 2),
  PERAGO_WORKSPACE_GC_TTL: duration("24h").default(DAY_MS),
  PERAGO_WORKSPACE_GC_INTERVAL: duration("1h", { maxMs: MAX_INTERVAL_MS }).default(HOUR_MS),
  PERAGO_BRANCH_GC_TTL: duration("7d", { minMs: MIN_BRANCH_TTL_MS }).default(7 * DAY_MS),
  PERAGO_BRANCH_GC_INTERVAL: duration("6h", { maxMs: MAX_INTERVAL_MS }).default(6 * HOUR_MS),
  PERAGO_CACHE_ROOT: z.string().optional(),
  PERAGO_CACHE_MAX_SIZE: sizeOrOff("10GB").default(10 * 1024 ** 3),
  PERAGO_LOG_ROOT: z.string().optional(),
  PERAGO_LOG_FILE_MAX_SIZE: size("100MB").default(100 * 1024 ** 2),
  PERAGO_LOG_LEVEL: z.enum(LOG_LEVELS, { error: `not one of ${LOG_LEVELS.join(", ")}` }).default("info"),
  PERAGO_LOG_RETENTION: duration("30d").default(30 * DAY_MS),
  PERAGO_WORKER_ID_PREFIX: workerIdPrefix.optional(),
  PERAGO_EXECUTION_MODE: executionMode.default("process"),
  PERAGO_FAILURE_REASON_MAX_LENGTH: whole(1, 100_000).default(500),
  PERAGO_HARD_FENCE: hardFence.default("auto"),
  PERAGO_OUTPUT_MAX_SIZE: size("3000000B").default(3_000_000),
  PERAGO_ALLOWED_TARGETS: targetPatterns.optional(),
  PERAGO_SHUTDOWN_FORCE_KILL_AFTER: duration("5m", { maxMs: MAX_INTERVAL_MS }).optional(),
  "-j": whole(1, MAX_SLOTS_PER_HOST).default(1),
  "--slots": slots.default([]),
  "--domain": z.string().optional(),
});

/** Flags and variables after the schema. */
export type ParsedSettings = z.output<typeof settingsSchema>;

function addressProblem(text: string): string | undefined {
  if (!URL.canParse(text)) return "not an address";
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return `${url.protocol} is neither http: nor https:`;
  if (url.username !== "" || url.password !== "") return "an address must not hold a user or a password";
  if (url.search !== "" || url.hash !== "") return "an address must not hold ? or #";
  return undefined;
}
