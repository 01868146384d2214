export { defineTask, isTaskDefinition } from "./define-task.ts";
export type { AnyTaskDefinition, NoOtherFields, RunResult, TaskDefinition, TaskOptions } from "./define-task.ts";
export type {
  AnyRunContext,
  AttemptInfo,
  LogFields,
  MetricLabels,
  ProgressUpdate,
  RunContext,
  TaskContext,
  TaskLog,
  TaskMetrics,
  TaskProgress,
  Workspace,
  WorkspaceTaskContext,
} from "./run-context.ts";
export { normalizePrefix } from "./workspace-spec.ts";
export type { ResolvedWorkspace, WorkspaceSpec } from "./workspace-spec.ts";
export { evaluateGuardrails, forbidGlob, isGuardrail, requireDir, requireFile, requireGlob } from "./guardrail.ts";
export type {
  ForbidGlob,
  GlobCount,
  Guardrail,
  GuardrailViolation,
  RequireDir,
  RequireFile,
  RequireGlob,
} from "./guardrail.ts";
export { compileGlob } from "./glob.ts";
export type { Glob } from "./glob.ts";
export type {
  RateLimit,
  ResolvedControls,
  ResolvedLimits,
  ResolvedTimeout,
  RetryPolicy,
  TaskControls,
  TaskLimits,
  TimeoutPolicy,
} from "./controls.ts";
export { isTaskFailed, isTaskTerminalError, TaskFailed, TaskTerminalError } from "./failure.ts";
export { hasErrors } from "./finding.ts";
export type { Checked, Finding, Refused } from "./finding.ts";
export { formatTaskDef, toTaskDef } from "./extract.ts";
export type { ExtractedTaskDef } from "./extract.ts";
export type { TaskDef, TaskSchemaDef } from "./task-def.ts";
export { diffTaskDef, mergeTaskDef } from "./diff-task-def.ts";
export type { TaskDefDifference } from "./diff-task-def.ts";
export { parseParams, parseWorkspaceInput, workspaceInputSchema } from "./input.ts";
export type { WorkspaceInput } from "./input.ts";
export { checkOutput, DEFAULT_OUTPUT_LIMIT_BYTES, serializeOutput } from "./output.ts";
export type { SerializedOutput } from "./output.ts";
export { toPlainJson, utf8SizeBytes } from "./plain-json.ts";
export type { JsonObject, JsonValue } from "./plain-json.ts";
