import { z } from "zod";

/** Whose step it is: one execution of one delivery. */
export const executionShape = z.object({
  executionId: z.string(),
  workerId: z.string(),
  workflowId: z.string(),
  taskId: z.string(),
  taskDefName: z.string(),
  referenceTaskName: z.string(),
  iteration: z.number(),
  retryCount: z.number(),
  scheduledTime: z.number(),
  pollCount: z.number(),
});
export type ExecutionName = z.infer<typeof executionShape>;

/** What a step shows that an audit needs. Paths are below the prefix; digests are MD5 in hex. */
export const factShape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("staging"), branch: z.string() }),
  z.object({ kind: z.literal("staged"), commit: z.string() }),
  /** What a read of the attempt showed at the second check. */
  z.object({ kind: z.literal("checked"), current: z.boolean(), status: z.string() }),
  z.object({ kind: z.literal("merging"), stagingCommit: z.string() }),
  z.object({ kind: z.literal("merged"), outcome: z.string(), commit: z.string().optional() }),
  z.object({
    kind: z.literal("reporting"),
    status: z.string(),
    ref: z.string().optional(),
    reason: z.string().optional(),
    /** The folder as it is now, read by the chaos host itself; absent where there is none. */
    files: z.record(z.string(), z.string()).optional(),
  }),
]);
export type Fact = z.infer<typeof factShape>;

/** From a chaos host to the controller. */
export const fromHostShape = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  /** A step begins or has ended; the host waits until it is told to go on. */
  z.object({
    type: z.literal("gate"),
    gate: z.number(),
    execution: executionShape,
    phase: z.string(),
    side: z.enum(["before", "after"]),
    fact: factShape.optional(),
    refusedWith: z.string().optional(),
  }),
  z.object({ type: z.literal("note"), execution: executionShape, name: z.string(), message: z.string() }),
]);
export type FromHost = z.infer<typeof fromHostShape>;
export type GateMessage = Extract<FromHost, { type: "gate" }>;

/** From the controller to a chaos host. */
export const toHostShape = z.object({ go: z.number() });
export type ToHost = z.infer<typeof toHostShape>;
