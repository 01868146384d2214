import { errorAt, type Finding } from "./finding.ts";

const MAX_NAME_LENGTH = 255;

/** Conductor runs tasks of these types itself: no worker would ever be asked for a task of such a name. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  "SIMPLE",
  "DYNAMIC",
  "FORK",
  "FORK_JOIN",
  "FORK_JOIN_DYNAMIC",
  "DECISION",
  "SWITCH",
  "JOIN",
  "EXCLUSIVE_JOIN",
  "DO_WHILE",
  "SUB_WORKFLOW",
  "START_WORKFLOW",
  "EVENT",
  "WAIT",
  "HUMAN",
  "USER_DEFINED",
  "HTTP",
  "LAMBDA",
  "INLINE",
  "TERMINATE",
  "KAFKA_PUBLISH",
  "JSON_JQ_TRANSFORM",
  "SET_VARIABLE",
  "NOOP",
]);

/** Checks a task's name: what Conductor refuses, what would break its queue names or poll addresses, and why. */
export function checkTaskName(name: unknown): Finding[] {
  const hint = 'Use letters, digits, ".", "_" and "-", like "features.build".';
  const refuse = (message: string): Finding[] => [errorAt("name", "task_name", message, hint)];
  if (typeof name !== "string") return refuse("name is missing or not a text");
  if (name.trim() === "") return refuse("name is empty: Conductor refuses a TaskDef without a name");
  const shown = JSON.stringify(name);
  const findings: Finding[] = [];
  const also = (message: string): number => findings.push(...refuse(`name ${shown} ${message}`));
  if (name.trim() !== name) also("starts or ends with a space: it would look like another task's name");
  if (name.length > MAX_NAME_LENGTH) also(`has ${name.length} characters: Conductor stores at most ${MAX_NAME_LENGTH}`);
  if (name.includes(":")) also('has a ":": Conductor puts the task domain before it in queue names');
  if (/[/\\?#%;]/.test(name)) also("has a character that breaks the address that workers poll (/ \\ ? # % ;)");
  if (/\p{Cc}/u.test(name)) also("has a control character: it breaks addresses and log lines");
  if (!name.isWellFormed()) also("is not well-formed Unicode: it cannot be sent as UTF-8");
  if (RESERVED_NAMES.has(name)) also("is a system task of Conductor, which runs it itself and never asks a worker");
  return findings;
}
