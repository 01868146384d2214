import { parse } from "yaml";

/** One hook of an action. */
export interface ActionHook {
  readonly id: string;
  readonly type: string;
  /** When it runs: empty (nothing failed before), `success()`, `failure()`, `true` or `false`. */
  readonly condition: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** An action as its file says. */
export interface Action {
  readonly name: string;
  /** Events, each with the branch patterns it is for; none: all branches. */
  readonly on: ReadonlyMap<string, readonly string[]>;
  readonly hooks: readonly ActionHook[];
}

const namePattern = /^\w[\w\-. ]+$/;
const hookIdPattern = /^[_a-zA-Z][-_a-zA-Z0-9]{1,255}$/;
const hookTypes: ReadonlySet<string> = new Set(["webhook", "airflow", "lua"]);
const operations = ["commit", "merge", "create-branch", "delete-branch", "create-tag", "delete-tag"];
const events: ReadonlySet<string> = new Set([
  "prepare-commit",
  ...[...operations, "revert", "cherry-pick"].flatMap((name) => [`pre-${name}`, `post-${name}`]),
]);

/** What is wrong with an action's file. */
export class InvalidAction extends Error {
  override readonly name = "InvalidAction";
}

/** Reads and checks an action's file. Throws `InvalidAction`. */
export function parseAction(text: string): Action {
  const document = record(parseYaml(text));
  const name = document["name"];
  if (name === undefined || name === null || name === "") throw new InvalidAction("'name' is required: invalid action");
  if (typeof name !== "string" || !namePattern.test(name)) throw new InvalidAction("'name' is invalid: invalid action");
  const hooks = list(document["hooks"]).map(readHook);
  const seen = new Set<string>();
  for (const [index, hook] of hooks.entries()) {
    if (seen.has(hook.id)) throw new InvalidAction(`hook[${index}] duplicate ID '${hook.id}': invalid action`);
    seen.add(hook.id);
  }
  return { name, on: readEvents(document["on"]), hooks };
}

function parseYaml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new InvalidAction(`yaml: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readEvents(value: unknown): ReadonlyMap<string, readonly string[]> {
  const on = new Map<string, readonly string[]>();
  for (const [event, filter] of Object.entries(record(value))) {
    if (!events.has(event)) throw new InvalidAction(`event '${event}' is not supported: invalid action`);
    const branches = list(record(filter)["branches"]).map(String);
    if (branches.length > 0 && event.endsWith("-tag")) {
      throw new InvalidAction("'branches' is not supported in tag event types. invalid event parameter");
    }
    on.set(event, branches);
  }
  if (on.size === 0) throw new InvalidAction("'on' is required: invalid action");
  return on;
}

function readHook(value: unknown, index: number): ActionHook {
  const hook = record(value);
  const id = hook["id"];
  if (typeof id !== "string" || !hookIdPattern.test(id)) {
    throw new InvalidAction(`hook[${index}] missing ID: invalid action`);
  }
  const type = hook["type"];
  if (typeof type !== "string" || !hookTypes.has(type)) {
    throw new InvalidAction(`hook[${index}] type '${id}' unknown: invalid action`);
  }
  const properties = record(hook["properties"]);
  if (type === "lua" && !("script" in properties) && !("script_path" in properties)) {
    const detail = "'script' or 'script_path' must be supplied in properties: invalid action";
    throw new InvalidAction(`hook[${index}] type '${type}': ${detail}`);
  }
  return { id, type, condition: String(hook["if"] ?? ""), properties };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value));
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Is the action for this event on this branch? */
export function isFor(action: Action, event: string, branch: string): boolean {
  const patterns = action.on.get(event);
  if (patterns === undefined) return false;
  return patterns.length === 0 || patterns.some((pattern) => matchesPath(pattern, branch));
}

/** A shell pattern as Go's `path.Match` reads it: `*` and `?` stop at a slash; no braces. */
function matchesPath(pattern: string, name: string): boolean {
  let source = "";
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern[at] ?? "";
    if (letter === "*") source += "[^/]*";
    else if (letter === "?") source += "[^/]";
    else if (letter === "[") {
      const end = pattern.indexOf("]", at + 1);
      if (end < 0) return false;
      source += `[${pattern.slice(at + 1, end)}]`;
      at = end;
    } else source += letter.replace(/[\\^$+.()|{}[\]]/, (special) => `\\${special}`);
  }
  return new RegExp(`^${source}$`).test(name);
}
