import { threadRefusal, type Settings, type TaskDescription } from "@perago/worker";
import type { Finding } from "./findings.ts";

/** Slots are numbered with four digits. */
const MAX_SLOTS = 9_999;

/** Slots of one task: `--slots` before `-j`. */
export function slotsOf(settings: Pick<Settings, "slotsByTask" | "slotsPerTask">, taskName: string): number {
  return settings.slotsByTask.get(taskName) ?? settings.slotsPerTask;
}

/** What is wrong with the slots once the tasks are known: a name that no task has, and too many together. */
export function slotFindings(
  settings: Pick<Settings, "slotsByTask" | "slotsPerTask">,
  taskNames: readonly string[],
): Finding[] {
  const unknown = [...settings.slotsByTask.keys()].filter((name) => !taskNames.includes(name));
  const findings = unknown.map((name) => {
    return wrong("--slots", `no task is named ${name}`, `The tasks are: ${taskNames.join(", ")}.`);
  });
  const total = taskNames.reduce((sum, name) => sum + slotsOf(settings, name), 0);
  if (total > MAX_SLOTS) {
    findings.push(wrong("-j", `${total} slots are more than the ${MAX_SLOTS} of one host`, "Use more hosts."));
  }
  return findings;
}

/** Tasks that `PERAGO_EXECUTION_MODE=thread` does not run. */
export function modeFindings(
  { executionMode }: Pick<Settings, "executionMode">,
  tasks: readonly Pick<TaskDescription, "name" | "workspace">[],
): Finding[] {
  const refusal = threadRefusal({ tasks, executionMode });
  return refusal === undefined ? [] : [wrong("PERAGO_EXECUTION_MODE", refusal.message, refusal.hint)];
}

function wrong(setting: string, message: string, hint: string): Finding {
  return { severity: "error", setting, code: "setting_invalid", message, hint };
}
