import { publishBudgetSchema } from "@perago/budget";
import { isGuardrail, type Guardrail, type TaskDef } from "@perago/taskdef";
import { z } from "zod";

// The describe child runs user code at import; the host parses what it says.
const guardrails = z.array(z.custom<Guardrail>(isGuardrail)).max(1_000);
const findingSchema = z.object({
  severity: z.enum(["error", "warning"]),
  code: z.string(),
  message: z.string(),
  hint: z.string(),
});

/** A TaskDef is data for Conductor: nothing here acts on more of it than the name. */
function isTaskDefLike(value: unknown): boolean {
  return z
    .looseObject({ name: z.string(), inputSchema: z.looseObject({}), outputSchema: z.looseObject({}) })
    .safeParse(value).success;
}

const describedTaskSchema = z.object({
  exportName: z.string(),
  name: z.string(),
  findings: z.array(findingSchema),
  /** Left out where an error finding stands in the way. */
  task: z
    .object({
      workspace: z
        .object({ prefix: z.string(), readOnly: z.boolean(), pre: guardrails, post: guardrails })
        .exactOptional(),
      timeoutSeconds: z.number().int().min(0),
      responseSeconds: z.number().int().min(1),
      publishBudget: publishBudgetSchema.exactOptional(),
      taskDef: z.custom<TaskDef>(isTaskDefLike),
    })
    .exactOptional(),
});
/** One exported task as the describe child saw it. */
export type DescribedTask = z.infer<typeof describedTaskSchema>;

/** What the describe child answers, once. */
export const describeMessageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("described"), tasks: z.array(describedTaskSchema).max(1_000), hasBareRun: z.boolean() }),
  z.object({ type: z.literal("not_imported"), code: z.string(), message: z.string(), hint: z.string() }),
]);
/** Describe child to host. */
export type DescribeMessage = z.infer<typeof describeMessageSchema>;
