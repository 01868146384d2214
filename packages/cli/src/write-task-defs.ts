import { mergeTaskDef } from "@perago/taskdef";
import { registerTaskDefs, type ConductorClient } from "@perago/worker";
import { CommandError } from "./command-error.ts";
import type { Difference } from "./differences.ts";
import { EXIT } from "./exit-codes.ts";
import { compareWithServer, type ComparedTask } from "./registered.ts";

/** Whether the task has to be written: it is not registered, or differs. */
export function isChanged({ registered, differences }: ComparedTask): boolean {
  return registered === undefined || differences.length > 0;
}

/** Writes tasks in one request and reads them back. Fields that the code does not own stay (case C05). */
export async function writeTaskDefs(client: ConductorClient, changed: readonly ComparedTask[]): Promise<void> {
  const definitions = changed.map(({ name, registered, taskDef }) => ({ ...mergeTaskDef(registered, taskDef), name }));
  await registerTaskDefs(client, definitions);
  const after = await compareWithServer(
    client,
    changed.map(({ taskDef }) => taskDef),
  );
  const lost = after.filter(isChanged);
  if (lost.length === 0) return;
  const fields = lost.map(({ name, differences }) => `${name} (${fieldsOf(differences)})`).join(", ");
  throw new CommandError({
    exitCode: EXIT.server,
    code: "not_kept",
    message: `Conductor at ${client.origin} accepted what it did not keep: ${fields}`,
    hint: "Somebody else may have written at the same time, or this engine does not know these fields; run it again.",
  });
}

function fieldsOf(differences: readonly Difference[]): string {
  return differences.length === 0 ? "all" : differences.map(({ field }) => field).join(", ");
}
