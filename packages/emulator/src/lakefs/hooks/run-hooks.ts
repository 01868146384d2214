import { sha256Of } from "../blobs.ts";
import type { Context } from "../context.ts";
import { LakefsError, notInEmulator, within } from "../errors.ts";
import { resolveRef, type ResolvedRef } from "../refs/resolve.ts";
import { findVisible, visibleFrom } from "../view.ts";
import { isFor, parseAction, type Action, type ActionHook } from "./action-file.ts";
import { actionTable, type HookRecord } from "./events.ts";
import { saveRun, type HookRun } from "./runs.ts";

const actionsPrefix = "_lakefs_actions/";

/** Runs the hooks that are for an event. Throws where one refuses (412) or an action cannot be read. */
export function runHooks(context: Context, record: HookRecord): void {
  try {
    const actions = loadActions(context, record).filter((action) => isFor(action, record.event, record.branch));
    if (actions.length === 0) return;
    const failures = runActions(context, record, actions);
    if (failures.length > 0) throw new LakefsError(412, joinErrors(failures));
  } catch (error) {
    throw aborted(record, error);
  }
}

function aborted(record: HookRecord, error: unknown): unknown {
  const message = error instanceof Error ? error.message : String(error);
  const status = error instanceof LakefsError ? error.status : 500;
  return new LakefsError(status, `${record.event} hook aborted, run id '${record.runId}': ${message}`);
}

function joinErrors(messages: readonly string[]): string {
  const count = messages.length === 1 ? "1 error" : `${messages.length} errors`;
  return `${count} occurred:\n${messages.map((message) => `\t* ${message}\n`).join("")}\n`;
}

/** All actions of the source ref, whatever they are for: one that cannot be read fails the event. */
function loadActions(context: Context, record: HookRecord): Action[] {
  const ref = sourceOf(context, record);
  const actions: Action[] = [];
  const names = new Set<string>();
  for (const { path } of visibleFrom(context, record.repository, ref, actionsPrefix)) {
    if (!path.startsWith(actionsPrefix)) break;
    const name = path.slice(actionsPrefix.length);
    if (name.includes("/")) {
      const folder = actionsPrefix + name.slice(0, name.indexOf("/") + 1);
      throw new LakefsError(404, `loading file ${folder}: get action file metadata ${folder}: not found`);
    }
    const action = readAction(context, record, ref, path);
    if (names.has(action.name)) throw new Error(`action name '${action.name}' already loaded: invalid action`);
    names.add(action.name);
    actions.push(action);
  }
  return actions;
}

function sourceOf(context: Context, record: HookRecord): ResolvedRef {
  try {
    return resolveRef(context, record.repository, record.sourceRef);
  } catch (error) {
    throw within("list actions from commit: listing actions", error);
  }
}

function readAction(context: Context, record: HookRecord, ref: ResolvedRef, path: string): Action {
  const text = readText(context, record, ref, path);
  try {
    return parseAction(text);
  } catch (error) {
    throw new Error(`parsing file ${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function readText(context: Context, record: HookRecord, ref: ResolvedRef, path: string): string {
  const entry = findVisible(context, record.repository, ref, path);
  const sha256 = entry === undefined ? undefined : sha256Of(entry.address);
  const bytes = sha256 === undefined ? undefined : context.blobs.read(sha256);
  if (bytes === undefined) throw new LakefsError(404, `loading file ${path}: not found`);
  return bytes.toString("utf8");
}

/** Runs actions one after another; the first failure of each. */
function runActions(context: Context, record: HookRecord, actions: readonly Action[]): string[] {
  const failures: string[] = [];
  const runs: HookRun[] = [];
  for (const [actionIndex, action] of actions.entries()) {
    let failure: string | undefined;
    for (const [hookIndex, hook] of action.hooks.entries()) {
      const id = `${String(actionIndex).padStart(4, "0")}_${String(hookIndex).padStart(4, "0")}`;
      const run = runHook(context, { record, action, hook, id, hasFailed: failure !== undefined });
      runs.push(run.hook);
      failure ??= run.failure;
    }
    if (failure !== undefined) failures.push(failure);
  }
  if (runs.length > 0) saveRun(context, record, runs);
  return failures;
}

interface HookCall {
  readonly record: HookRecord;
  readonly action: Action;
  readonly hook: ActionHook;
  readonly id: string;
  readonly hasFailed: boolean;
}

function runHook(context: Context, call: HookCall): { hook: HookRun; failure: string | undefined } {
  const { record, action, hook, id } = call;
  const base = { id, action: action.name, hookId: hook.id };
  const startMs = context.clock.nowMs();
  if (!shouldRun(hook, call.hasFailed)) {
    return { hook: { ...base, startMs, endMs: startMs, status: "skipped", output: "" }, failure: undefined };
  }
  if (hook.type !== "lua") throw notInEmulator(`a hook of type ${hook.type}`);
  const result = context.lua.run({
    code: scriptOf(context, record, hook),
    globals: {
      action: actionTable(record, action.name, hook.id),
      args: hook.properties["args"] ?? {},
      username: record.username,
    },
  });
  const endMs = context.clock.nowMs();
  if (result.error === undefined) {
    return { hook: { ...base, startMs, endMs, status: "completed", output: result.output }, failure: undefined };
  }
  const reason = `action failed: ${result.error}`;
  const output = `${result.output}Error: ${reason}\n`;
  const failure = `hook run id '${id}' failed on action '${action.name}' hook '${hook.id}': ${reason}`;
  return { hook: { ...base, startMs, endMs, status: "failed", output }, failure };
}

function shouldRun(hook: ActionHook, hasFailed: boolean): boolean {
  switch (hook.condition.replaceAll(" ", "")) {
    case "":
    case "success()":
      return !hasFailed;
    case "failure()":
      return hasFailed;
    case "true":
      return true;
    case "false":
      return false;
    default:
      throw notInEmulator(`the hook condition "${hook.condition}"`);
  }
}

function scriptOf(context: Context, record: HookRecord, hook: ActionHook): string {
  const { script, script_path: path } = hook.properties;
  if (typeof script === "string" && script !== "") return script;
  if (typeof path !== "string" || path === "") {
    throw new Error("'script' or 'script_path' must be supplied: wrong value type");
  }
  return readText(context, record, sourceOf(context, record), path);
}
