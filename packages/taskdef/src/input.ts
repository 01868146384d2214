import { z } from "zod";
import type { AnyTaskDefinition } from "./define-task.ts";
import { droppedFields } from "./dropped-fields.ts";
import {
  boundFindings,
  errorAt,
  isRecord,
  listKeys,
  quote,
  type Checked,
  type Finding,
  type Refused,
} from "./finding.ts";
import { describeValue, zodFindings } from "./zod-findings.ts";

/** Letters of lakeFS' own names (`^\w[-\w]*$`) and the dot: no dot segment, no half a letter, nothing to be encoded. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}$/;

/** The strict form of `workspace` in a task's input (rules I1, I4). */
export const workspaceInputSchema = z.strictObject({
  repository: z.string().regex(NAME),
  branch: z.string().regex(NAME),
  refType: z.literal("commit"),
  /** A full commit id, or a prefix of at least 8 of its 64 lower-case hex digits. */
  ref: z.string().regex(/^[0-9a-f]{8,64}$/),
});

/** Where a workspace comes from and goes to: the `workspace` of an input or output. */
export type WorkspaceInput = z.output<typeof workspaceInputSchema>;

const REF_HINT =
  "Give the commit id that an earlier task or a read of the branch returned: " +
  "64 lower-case hex digits, or at least the first 8.";

/**
 * Reads `workspace` from a task's input by form only (rules I1, I4, I6); whether the commit exists is the caller's
 * question. Codes are those of rule R7: `ref_invalid` for the form of `ref`, `input_invalid` for everything else.
 */
export function parseWorkspaceInput(inputData: unknown): Checked<WorkspaceInput> {
  const at = inputField(inputData, "workspace");
  if (!at.ok) return at;
  const parsed = workspaceInputSchema.safeParse(at.value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const findings = zodFindings(parsed.error, at.value, "workspace", workspaceInputSchema, "input_invalid");
  return { ok: false, findings: findings.map((finding) => refFinding(finding, at.value)) };
}

/** Rule I4: a branch name, a tag, `main~1` or a short id is refused by its form, and said so. */
function refFinding(finding: Finding, workspace: unknown): Finding {
  if (finding.path === "workspace.refType" && isRecord(workspace) && typeof workspace["refType"] === "string") {
    return { ...finding, message: 'workspace.refType is not "commit", the only kind of ref that a task takes' };
  }
  const ref = isRecord(workspace) ? workspace["ref"] : undefined;
  if (finding.path !== "workspace.ref" || typeof ref !== "string") return finding;
  const shown = quote(ref, 80);
  const message = `workspace.ref ${shown} is not a commit id or at least 8 digits of one; branch names are refused`;
  return errorAt(finding.path, "ref_invalid", message, REF_HINT);
}

/**
 * Reads and validates `params` from a task's input (rules I3, I6): unknown fields are dropped, or refused where the
 * task says strictParams. Runs the schema, user code that it is; what the schema throws becomes a finding.
 */
export async function parseParams(
  task: Pick<AnyTaskDefinition, "params" | "strictParams">,
  inputData: unknown,
): Promise<Checked<Record<string, unknown>>> {
  const at = inputField(inputData, "params");
  if (!at.ok) return at;
  const parsed = await parseSafely(task.params, at.value, "params", "input_invalid");
  if (!parsed.ok || !task.strictParams) return parsed;
  const unknown = droppedFields(task.params, at.value, parsed.value, "params");
  return unknown.length === 0 ? parsed : refuseUnknown(unknown, "input_invalid");
}

function inputField(inputData: unknown, field: string): Checked<unknown> {
  const refuse = (message: string, hint: string): Checked<unknown> => ({
    ok: false,
    findings: [errorAt(field, "input_invalid", message, hint)],
  });
  if (!isRecord(inputData)) return refuse(`the task's input is ${describeValue(inputData)}, not an object`, "Fix it.");
  const value = inputData[field];
  const hint = `Fill ${field} in the workflow's inputParameters for this task.`;
  if (value === null) return refuse(`${field} is null, probably an unresolved expression`, hint);
  if (value !== undefined && Object.hasOwn(inputData, field)) return { ok: true, value };
  return refuse(`${field} is missing; keys that did arrive: ${listKeys(Object.keys(inputData))}`, hint);
}

/** Runs an object schema on a value; never throws. */
export async function parseSafely(
  schema: z.ZodObject,
  value: unknown,
  root: string,
  code: string,
): Promise<Checked<Record<string, unknown>>> {
  try {
    const parsed = await schema.safeParseAsync(value);
    if (parsed.success) return { ok: true, value: parsed.data };
    return { ok: false, findings: boundFindings(zodFindings(parsed.error, value, root, undefined, code), code) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : describeValue(error);
    const message = `the schema of ${root} threw: ${reason}`;
    const hint = "A refinement or transform must not throw; report with ctx.addIssue.";
    return { ok: false, findings: [errorAt(root, code, message, hint)] };
  }
}

/** Fields that the schema does not know, as a refusal. */
export function refuseUnknown(paths: readonly string[], code: string): Refused {
  const findings = paths.map((path) =>
    errorAt(path, code, `${path} is not in the schema`, `Remove ${path}, or add it to the schema.`),
  );
  return { ok: false, findings: boundFindings(findings, code) };
}
