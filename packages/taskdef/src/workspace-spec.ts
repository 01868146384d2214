import { errorAt, isRecord, unknownKeyFindings, type Finding } from "./finding.ts";
import { checkGuardrails, type Guardrail } from "./guardrail.ts";

/** Which part of a lakeFS repository a task sees as its folder, and what must hold before and after the body. */
export interface WorkspaceSpec {
  /** Key prefix in the repository; `data` and `/data/` both mean `data/`, `/` is the whole repository (rule T11). */
  readonly prefix: string;
  /** Nothing is published, changes in the folder are discarded (rule R1). Default false. */
  readonly readOnly?: boolean;
  /** Must hold on the folder before the body runs; else the attempt is terminal. */
  readonly pre?: readonly Guardrail[];
  /** Must hold on exactly the bytes that are staged; else the attempt fails. */
  readonly post?: readonly Guardrail[];
}

/** A workspace declaration with its defaults filled in. */
export interface ResolvedWorkspace {
  /** As the author wrote it. */
  readonly prefix: string;
  /** {@link normalizePrefix} of it: no `/` in front, one at the end, empty for the whole repository. */
  readonly keyPrefix: string;
  readonly readOnly: boolean;
  readonly pre: readonly Guardrail[];
  readonly post: readonly Guardrail[];
}

/** The key prefix that a declared prefix means: `data`, `/data` and `data/` are `data/`; `/` is empty (rule T11). */
export function normalizePrefix(prefix: string): string {
  const start = prefix.startsWith("/") ? 1 : 0;
  const bare = prefix.slice(start);
  return bare === "" || bare.endsWith("/") ? bare : `${bare}/`;
}

/** Fills in defaults; call it only on a declaration without findings. */
export function resolveWorkspace(spec: WorkspaceSpec): ResolvedWorkspace {
  return Object.freeze({
    prefix: spec.prefix,
    keyPrefix: normalizePrefix(spec.prefix),
    readOnly: spec.readOnly ?? false,
    pre: Object.freeze([...(spec.pre ?? [])]),
    post: Object.freeze([...(spec.post ?? [])]),
  });
}

/** Checks a workspace declaration of unknown origin; all findings, below `workspace`. */
export function checkWorkspaceSpec(spec: unknown): Finding[] {
  if (!isRecord(spec)) {
    const hint = 'Write workspace: { prefix: "/some/prefix" }, or leave it out for a task without a workspace.';
    return [errorAt("workspace", "workspace_shape", "workspace is not an object", hint)];
  }
  const findings = unknownKeyFindings(spec, ["prefix", "readOnly", "pre", "post"], "workspace");
  findings.push(...checkPrefix(spec["prefix"]));
  if (spec["readOnly"] !== undefined && typeof spec["readOnly"] !== "boolean") {
    findings.push(
      errorAt("workspace.readOnly", "workspace_shape", "workspace.readOnly is not true or false", "Fix it."),
    );
  }
  for (const when of ["pre", "post"]) {
    if (spec[when] !== undefined) findings.push(...checkGuardrails(spec[when], `workspace.${when}`));
  }
  return findings;
}

function checkPrefix(prefix: unknown): Finding[] {
  const refuse = (message: string): Finding[] => [
    errorAt("workspace.prefix", "workspace_prefix", message, 'Name a folder like "/audio/render"; "/" is everything.'),
  ];
  if (typeof prefix !== "string" || prefix.trim() === "") return refuse("workspace.prefix is empty or missing");
  const shown = JSON.stringify(prefix);
  const segments = normalizePrefix(prefix).split("/").slice(0, -1);
  if (prefix.includes("\0")) return refuse(`workspace.prefix ${shown} has a NUL character`);
  if (segments.includes("")) return refuse(`workspace.prefix ${shown} has an empty segment`);
  if (segments.includes(".") || segments.includes("..")) return refuse(`workspace.prefix ${shown} has a "." or ".."`);
  // Rule T6: what lies there is never part of a projection.
  if (segments[0] === "_lakefs_actions") return refuse(`workspace.prefix ${shown} lies in lakeFS' own actions folder`);
  return [];
}
