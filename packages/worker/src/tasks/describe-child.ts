import { pathToFileURL } from "node:url";
import type { PublishBudgetFields } from "@perago/budget";
import { isTaskDefinition, toTaskDef, type AnyTaskDefinition } from "@perago/taskdef";
import type { DescribedTask, DescribeMessage } from "./describe-messages.ts";
import { cutAny } from "../telemetry/line.ts";
import { adviseOnImportError } from "./import-advice.ts";

// Entry of a short-lived process: imports one task module, tells what it exports, and ends.
const maxNameLength = 1000;
const send = process.send?.bind(process);
const exit = process.exit.bind(process);
const modulePath = process.argv[2] ?? "";
process.once("disconnect", () => exit(1));
const answer = await describe();
// What the module left running would keep the process alive.
send?.(answer, undefined, undefined, () => exit(0));

async function describe(): Promise<DescribeMessage> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = await import(pathToFileURL(modulePath).href);
  } catch (thrown) {
    return { type: "not_imported", ...adviseOnImportError(thrown, modulePath) };
  }
  const seen = new Set<unknown>();
  const tasks: DescribedTask[] = [];
  let hasBareRun = false;
  for (const [exportName, value] of Object.entries(module).toSorted(defaultFirst)) {
    if (isTaskDefinition(value) && !seen.has(value)) tasks.push(describeTask(exportName, value));
    else if (typeof value === "object" && value !== null && "run" in value) hasBareRun ||= !seen.has(value);
    seen.add(value);
  }
  return { type: "described", tasks, hasBareRun };
}

function describeTask(exportName: string, task: AnyTaskDefinition): DescribedTask {
  const extracted = toTaskDef(task);
  const name = cutAny(task.name, maxNameLength);
  const findings = extracted.findings.map(({ severity, code, message, hint }) => ({ severity, code, message, hint }));
  if (!extracted.ok) return { exportName, name, findings };
  const { timeout } = task.controls;
  const publishBudget: PublishBudgetFields | undefined = task.controls.publishBudget;
  const { workspace } = task;
  return {
    exportName,
    name,
    findings,
    task: {
      ...(workspace === undefined
        ? {}
        : {
            workspace: {
              prefix: workspace.prefix,
              readOnly: workspace.readOnly,
              pre: [...workspace.pre],
              post: [...workspace.post],
            },
          }),
      timeoutSeconds: timeout.seconds,
      responseSeconds: timeout.responseSeconds,
      ...(publishBudget === undefined ? {} : { publishBudget: { ...publishBudget } }),
      taskDef: extracted.taskDef,
    },
  };
}

function defaultFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  if (a === "default" || b === "default") return a === b ? 0 : a === "default" ? -1 : 1;
  return a < b ? -1 : 1;
}
