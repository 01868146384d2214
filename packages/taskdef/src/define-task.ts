import type { z } from "zod";
import { checkControls, type PublishingMode, type ResolvedControls, type TaskControls } from "./controls.ts";
import { errorAt, isRecord, unknownKeyFindings, type Finding } from "./finding.ts";
import type { AnyRunContext, RunContext } from "./run-context.ts";
import { checkTaskName } from "./task-name.ts";
import { checkWorkspaceSpec, resolveWorkspace, type ResolvedWorkspace, type WorkspaceSpec } from "./workspace-spec.ts";
import { isObjectSchema } from "./zod-findings.ts";

// A brand by registered symbol: another loaded copy of this package makes tasks too (case P03).
const TASK_BRAND: unique symbol = Symbol.for("perago.TaskDefinition");

/** What a body may return: the input side of the output schema, or a promise of it. */
export type RunResult<O extends z.ZodObject> = z.input<O> | Promise<z.input<O>>;

/** An inferred type takes any extra field silently; this refuses a misspelt one (`readonly`) where it stands. */
export type NoOtherFields<W> = W extends WorkspaceSpec
  ? { readonly [Field in Exclude<keyof W, keyof WorkspaceSpec>]: never }
  : unknown;

/** What {@link defineTask} takes. */
export interface TaskOptions<P extends z.ZodObject, O extends z.ZodObject, W extends WorkspaceSpec | undefined> {
  /** The Conductor task name, e.g. `features.build`; unique in a host. */
  readonly name: string;
  readonly description?: string;
  /** Who answers for the task; Conductor demands it (case C03). No default is made up. */
  readonly ownerEmail: string;
  /** Left out: a workspace-free task, whose `run` is given no `workspace`. */
  readonly workspace?: W & NoOtherFields<W>;
  /** What the task takes; unknown fields are dropped unless `strictParams` says otherwise (rule I3). */
  readonly params: P;
  /** What the task returns; unknown fields are refused (rule I3). */
  readonly output: O;
  /** Refuse unknown fields in params instead of dropping them; default false (rule I3). */
  readonly strictParams?: boolean;
  readonly controls?: TaskControls;
  /** The body. What it leaves in the folder is published, what it returns is the result. */
  run(context: RunContext<P, W>): RunResult<O>;
}

/** A defined task whose types are not known: what a host and its executors handle. */
export interface AnyTaskDefinition {
  readonly [TASK_BRAND]: true;
  readonly name: string;
  readonly description?: string;
  readonly ownerEmail: string;
  /** Undefined for a workspace-free task. */
  readonly workspace: ResolvedWorkspace | undefined;
  readonly params: z.ZodObject;
  readonly output: z.ZodObject;
  readonly strictParams: boolean;
  readonly controls: ResolvedControls;
  /** All that is wrong (errors) or worth a word (warnings) with the declaration; extract and start refuse errors. */
  readonly findings: readonly Finding[];
  run(context: AnyRunContext): unknown;
}

/** A defined task with its types. */
export interface TaskDefinition<
  P extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject = z.ZodObject,
  W extends WorkspaceSpec | undefined = WorkspaceSpec | undefined,
> extends Omit<AnyTaskDefinition, "run" | "params" | "output"> {
  readonly params: P;
  readonly output: O;
  run(context: RunContext<P, W>): RunResult<O>;
}

/**
 * Defines a task. Types are inferred from the schemas and from whether a workspace is declared. What is wrong with
 * the declaration is not thrown: it is in `findings` of the returned task, which check lists and extract and start
 * refuse. Throws a TypeError only where the argument is no object.
 */
export function defineTask<
  P extends z.ZodObject,
  O extends z.ZodObject,
  W extends WorkspaceSpec | undefined = undefined,
>(options: TaskOptions<P, O, W>): TaskDefinition<P, O, W> {
  if (!isRecord(options)) throw new TypeError("defineTask takes one object of options");
  const workspaceFindings = options.workspace === undefined ? [] : checkWorkspaceSpec(options.workspace);
  const workspace =
    options.workspace === undefined || workspaceFindings.length > 0 ? undefined : resolveWorkspace(options.workspace);
  const checked = checkControls(options.controls, publishingMode(options.workspace));
  const findings = [...checkOptions(options), ...workspaceFindings, ...checked.findings];
  return Object.freeze({
    [TASK_BRAND]: true as const,
    name: options.name,
    ...(options.description === undefined ? {} : { description: options.description }),
    ownerEmail: options.ownerEmail,
    workspace,
    params: options.params,
    output: options.output,
    strictParams: options.strictParams ?? false,
    controls: checked.controls,
    findings: Object.freeze(findings),
    run: (context: RunContext<P, W>) => options.run(context),
  });
}

/** Whether a value is a task made by {@link defineTask}, of this or any other loaded copy of the package (case P03). */
export function isTaskDefinition(value: unknown): value is AnyTaskDefinition {
  return isRecord(value) && Reflect.get(value, TASK_BRAND) === true && typeof value["run"] === "function";
}

function publishingMode(workspace: unknown): PublishingMode {
  if (workspace === undefined) return "none";
  return isRecord(workspace) && workspace["readOnly"] === true ? "readOnly" : "writable";
}

const OPTION_NAMES = [
  "name",
  "description",
  "ownerEmail",
  "workspace",
  "params",
  "output",
  "strictParams",
  "controls",
  "run",
];

/** What TypeScript refuses already, for those who write plain JavaScript. */
function checkOptions(options: object): Finding[] {
  const raw: Readonly<Record<string, unknown>> = { ...options };
  const findings = [...unknownKeyFindings(raw, OPTION_NAMES, ""), ...checkTaskName(raw["name"])];
  findings.push(...checkOwnerEmail(raw["ownerEmail"]));
  for (const field of ["params", "output"]) {
    if (isObjectSchema(raw[field])) continue;
    const hint = `Write ${field}: z.object({ ... }) with zod 4.`;
    findings.push(errorAt(field, "schema_shape", `${field} is not a z.object of zod 4`, hint));
  }
  if (raw["description"] !== undefined && typeof raw["description"] !== "string") {
    findings.push(errorAt("description", "option_shape", "description is not a text", "Write a text."));
  }
  if (raw["strictParams"] !== undefined && typeof raw["strictParams"] !== "boolean") {
    findings.push(errorAt("strictParams", "option_shape", "strictParams is not true or false", "Fix it."));
  }
  if (typeof raw["run"] !== "function") {
    findings.push(errorAt("run", "run_missing", "run is not a function", "Add run({ params }) { ... }."));
  }
  return findings;
}

/** Case C03: mandatory, and shaped like an address; Conductor's own check decides the rest. */
function checkOwnerEmail(email: unknown): Finding[] {
  const hint = 'Name who answers for the task, like ownerEmail: "data@example.com".';
  const refuse = (message: string): Finding[] => [errorAt("ownerEmail", "owner_email", message, hint)];
  if (typeof email !== "string" || email.trim() === "") return refuse("ownerEmail is missing; Conductor demands it");
  if (!/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/.test(email)) return refuse("ownerEmail is not shaped like an e-mail address");
  return [];
}
