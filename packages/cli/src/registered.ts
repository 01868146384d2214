import { diffTaskDef, type TaskDef } from "@perago/taskdef";
import { getTaskDef, type ConductorClient, type RegisteredTaskDef } from "@perago/worker";
import { differences, type Difference } from "./differences.ts";

/** A task of the code beside what Conductor has of it. */
export interface ComparedTask {
  readonly name: string;
  readonly taskDef: TaskDef;
  /** Undefined where Conductor has none. */
  readonly registered: RegisteredTaskDef | undefined;
  /** In the fields that the code owns, registered to extracted; those of an unregistered task are not listed. */
  readonly differences: readonly Difference[];
}

/** Reads the registered TaskDef of each task and compares it with the code. Throws `ConductorError`. */
export async function compareWithServer(
  client: ConductorClient,
  taskDefs: readonly TaskDef[],
): Promise<readonly ComparedTask[]> {
  const compared: ComparedTask[] = [];
  for (const taskDef of taskDefs) {
    const { name } = taskDef;
    const registered = await getTaskDef(client, name);
    compared.push({ name, taskDef, registered, differences: ownedDifferences(registered, taskDef) });
  }
  return compared;
}

/** The differences in owned fields, as deep as they can be named. */
function ownedDifferences(registered: RegisteredTaskDef | undefined, taskDef: TaskDef): Difference[] {
  if (registered === undefined) return [];
  return diffTaskDef(registered, taskDef).flatMap(({ field, registered: old, extracted }) => {
    const places = differences(old, extracted, field);
    // What the server keeps beside a schema's own fields is not ours.
    return isSchema(field)
      ? places.filter((place) => place.new !== undefined || place.field.startsWith(`${field}.data`))
      : places;
  });
}

function isSchema(field: string): boolean {
  return field === "inputSchema" || field === "outputSchema";
}
