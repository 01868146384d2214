import { spawn } from "node:child_process";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { TaskFailed, TaskTerminalError, type AttemptInfo } from "@perago/taskdef";
import { z } from "zod";

const HOLD_LIMIT_MS = 90_000;
const HOLD_LOOK_MS = 25;

/** One thing that a body does; a script is a list of them. */
export const action = z.discriminatedUnion("do", [
  /** Writes a file below the workspace. */
  z.object({ do: z.literal("write"), path: z.string(), content: z.string() }),
  z.object({ do: z.literal("remove"), path: z.string() }),
  /** Makes the file `name` in the control folder. */
  z.object({ do: z.literal("tell"), name: z.string() }),
  /** Waits until the file `name` is in the control folder; ends early when the signal fires. */
  z.object({ do: z.literal("hold"), name: z.string() }),
  /** Never ends by itself, and does not listen to the signal. */
  z.object({ do: z.literal("hang") }),
  /** Blocks the CPU and the event loop. */
  z.object({ do: z.literal("spin"), ms: z.number() }),
  /** Starts a shell that starts a child of its own; their pids go to `pids` in the control folder. */
  z.object({ do: z.literal("spawn") }),
  z.object({ do: z.literal("fail"), reason: z.string() }),
  z.object({ do: z.literal("failTerminally"), reason: z.string() }),
]);

/** What every scripted task takes. */
export const params = z.object({
  /** A folder outside the workspace, in which body and test meet. */
  control: z.string(),
  /** What the first, second, ... body of this control folder does; the last one is used from there on. */
  scripts: z.array(z.array(action)).min(1),
});

/** What every scripted task returns: which body this was, from 1. */
export const output = z.object({ run: z.int().min(1) });

/** What a body leaves in the control folder as `run-<n>.json`, before it does anything. */
export interface RunNote {
  readonly pid: number;
  readonly taskId: string;
  readonly retryCount: number;
  readonly workspace: string | null;
  /** Paths of the files that were in the workspace, sorted. */
  readonly files: readonly string[];
}

interface ScriptContext {
  readonly params: z.output<typeof params>;
  readonly attempt: AttemptInfo;
  readonly signal: AbortSignal;
  readonly workspace?: { readonly path: string };
}

/** The body of every scripted task: notes that it runs, and does what its script says. */
export async function runScript(context: ScriptContext): Promise<z.output<typeof output>> {
  const { control, scripts } = context.params;
  const run = await noteRun(control, context);
  const script = scripts[Math.min(run, scripts.length) - 1] ?? [];
  for (const step of script) await perform(step, context);
  return { run };
}

async function noteRun(control: string, { attempt, workspace }: ScriptContext): Promise<number> {
  const run = (await readdir(control)).filter((name) => name.startsWith("run-")).length + 1;
  const { taskId, retryCount } = attempt;
  const files = workspace === undefined ? [] : await listFiles(workspace.path);
  const note: RunNote = { pid: process.pid, taskId, retryCount, workspace: workspace?.path ?? null, files };
  await writeFile(join(control, `run-${run}.json`), JSON.stringify(note), { flag: "wx" });
  return run;
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => relative(folder, join(entry.parentPath, entry.name))).toSorted();
}

async function perform(step: z.output<typeof action>, { params: { control }, signal, workspace }: ScriptContext) {
  const inFolder = (path: string): string => {
    if (workspace === undefined) throw new Error(`no workspace to ${step.do} ${path} in`);
    return join(workspace.path, path);
  };
  switch (step.do) {
    case "write":
      await mkdir(dirname(inFolder(step.path)), { recursive: true });
      return writeFile(inFolder(step.path), step.content);
    case "remove":
      return rm(inFolder(step.path), { recursive: true });
    case "tell":
      return writeFile(join(control, step.name), "");
    case "hold":
      return hold(join(control, step.name), signal);
    case "hang":
      setInterval(() => {}, 1000);
      return new Promise<void>(() => {});
    case "spin":
      return spin(step.ms);
    case "spawn":
      return spawnShell(join(control, "pids"));
    case "fail":
      throw new TaskFailed(step.reason);
    case "failTerminally":
      throw new TaskTerminalError(step.reason);
  }
}

async function hold(file: string, signal: AbortSignal): Promise<void> {
  const endMs = performance.now() + HOLD_LIMIT_MS;
  while (performance.now() < endMs) {
    signal.throwIfAborted();
    if (await isThere(file)) return;
    await pause(HOLD_LOOK_MS);
  }
  throw new Error("nobody let this body go on");
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
}

function spin(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs) Math.sqrt(endMs);
}

/** A shell with a child, both in the executor's process group; it prints their pids once both run. */
async function spawnShell(file: string): Promise<void> {
  const shell = spawn("sh", ["-c", "sleep 600 & echo $$ $!; wait"], { stdio: ["ignore", "pipe", "ignore"] });
  for await (const text of shell.stdout) return writeFile(file, String(text).trim());
}
