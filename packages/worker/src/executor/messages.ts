import { z } from "zod";
import type { BodyRequest } from "../attempt/ports/executor.ts";
import { MAX_LABELS, MAX_TEXT_LENGTH } from "./limits.ts";

// Everything that an executor says is parsed on arrival: it runs user code and may send anything.
const call = z.number().int().min(0);
const text = z.string().max(MAX_TEXT_LENGTH);
const finite = z.number();
const label = z.string().max(200);

/**
 * From host to executor, which believes it: user code in there can do to itself what it likes. `run` has the size limit
 * of the serialized result (rule I3); `validate` and a `run` with input begin an execution.
 */
export type HostMessage =
  | { readonly type: "init"; readonly modulePath: string; readonly exportName: string; readonly taskName: string }
  | { readonly type: "validate"; readonly call: number; readonly inputData: unknown }
  | { readonly type: "run"; readonly call: number; readonly request: BodyRequest; readonly outputLimitBytes: number }
  | { readonly type: "cancel"; readonly reason: string }
  | { readonly type: "inspect"; readonly call: number };

const outcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("returned"), resultJson: z.string(), sizeBytes: finite }),
  z.object({ kind: z.literal("input_invalid"), message: text }),
  z.object({ kind: z.literal("failed"), message: text }),
  z.object({ kind: z.literal("terminal"), message: text }),
  z.object({ kind: z.literal("output_invalid"), message: text }),
  z.object({ kind: z.literal("output_too_large"), sizeBytes: finite, limitBytes: finite }),
]);
/** How a body ended, as its executor says. */
export type ChildOutcome = z.infer<typeof outcomeSchema>;

const noteSchemas = [
  z.object({
    type: z.literal("log"),
    level: z.enum(["debug", "info", "warn", "error"]),
    message: text,
    /** JSON text of the fields; text, so that no strange object is ever built on the host. */
    fieldsJson: text.exactOptional(),
    lostCount: z.number().int().min(0),
  }),
  z.object({
    type: z.literal("metric"),
    kind: z.enum(["counter", "gauge", "histogram"]),
    name: label,
    value: finite,
    labels: z.record(label, label).refine((labels) => Object.keys(labels).length <= MAX_LABELS, "too many labels"),
  }),
  z.object({
    type: z.literal("progress"),
    percent: finite.exactOptional(),
    done: finite.exactOptional(),
    total: finite.exactOptional(),
    message: text.exactOptional(),
  }),
] as const;

/** Log lines, metrics and progress of a body. */
export const noteSchema = z.discriminatedUnion("type", noteSchemas);
/** A log line, a metric or a progress note of a body. */
export type Note = z.infer<typeof noteSchema>;
/** A metric of a body. */
export type MetricNote = Extract<Note, { type: "metric" }>;
/** A progress note of a body. */
export type ProgressNote = Extract<Note, { type: "progress" }>;

/** What the executor has left running and holds (rule T8). */
const account = { extra: z.array(label).max(1_000), rssBytes: finite };

const replySchemas = [
  z.object({ type: z.literal("validated"), call, ok: z.literal(true) }),
  z.object({ type: z.literal("refused"), call, message: text }),
  z.object({ type: z.literal("outcome"), call, outcome: outcomeSchema, ...account }),
  z.object({ type: z.literal("inspected"), call, ...account }),
] as const;
const replySchema = z.discriminatedUnion("type", replySchemas);
/** An answer to the host's message with the same `call`. */
export type Reply = z.infer<typeof replySchema>;
/**
 * What an executor says of itself after a body: kinds of resources beyond its baseline, and the memory that it holds.
 */
export type Account = Pick<Extract<Reply, { type: "inspected" }>, keyof typeof account>;

/** From executor to host. */
export const childMessageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready"), rssBytes: finite }),
  z.object({ type: z.literal("cannot_start"), message: text, hint: text }),
  /** The input of a `run` is valid, and its body begins. */
  z.object({ type: z.literal("begun"), call }),
  /** An uncaught exception; the executor ends right after it. */
  z.object({ type: z.literal("fault"), message: text }),
  ...replySchemas,
  ...noteSchemas,
]);
/** Executor to host. */
export type ChildMessage = z.infer<typeof childMessageSchema>;
