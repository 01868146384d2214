import { spawn } from "node:child_process";
import { readdir, rm, stat, writeFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { defineTask, TaskFailed, TaskTerminalError, type AttemptInfo } from "@perago/taskdef";
import { z } from "zod";

const HOLD_LIMIT_MS = 8_000;
const HOLD_LOOK_MS = 25;

/** One thing that a body does. */
const deed = z.discriminatedUnion("do", [
  /** Writes a file with bytes that no other body writes. */
  z.object({ do: z.literal("write"), path: z.string() }),
  /** Writes a file with the same bytes each time. */
  z.object({ do: z.literal("rewrite"), path: z.string() }),
  z.object({ do: z.literal("remove"), path: z.string() }),
  z.object({ do: z.literal("wait"), ms: z.number() }),
  /** Leaves its pid in the control folder and waits to be killed, at most 8 s; only until one body has been. */
  z.object({ do: z.literal("await_death") }),
  /** Leaves a child behind that goes on writing into the workspace. */
  z.object({ do: z.literal("leave_child"), path: z.string() }),
  z.object({ do: z.literal("fail") }),
  z.object({ do: z.literal("fail_terminally") }),
]);
type Deed = z.output<typeof deed>;

const params = z.object({
  /** A folder in which bodies are counted. */
  control: z.string(),
  /** What the first, second, ... body of this step does; the last one is used from there on. */
  scripts: z.array(z.array(deed)).min(1),
});

interface Body {
  readonly workspace: { readonly path: string };
  readonly params: z.output<typeof params>;
  readonly attempt: AttemptInfo;
  readonly signal: AbortSignal;
}

/** The one task of the chaos run: writes, deletes, changes nothing, fails or is slow below `/work`, as it is told. */
export const step = defineTask({
  name: `chaos.step.${process.env["CHAOS_RUN"] ?? "none"}`,
  ownerEmail: "chaos@example.com",
  workspace: { prefix: "/work" },
  params,
  output: z.object({ run: z.int().min(1) }),
  controls: {
    retry: { count: 3, logic: "FIXED", delaySeconds: 0 },
    timeout: { policy: "RETRY", responseSeconds: 6, seconds: 60 },
    publishBudget: {
      observedMergeP99Seconds: 1,
      safetyMarginSeconds: 1,
      lakefsMergeTimeoutSeconds: 2,
      conductorCompletionTimeoutSeconds: 2,
      workerShutdownGraceSeconds: 1,
      heartbeatIntervalSeconds: 1,
    },
  },
  async run(body) {
    const run = await countRun(body.params.control);
    const script = body.params.scripts[Math.min(run, body.params.scripts.length) - 1] ?? [];
    for (const one of script) await perform(one, run, body);
    return { run };
  },
});

async function countRun(control: string): Promise<number> {
  const run = (await readdir(control)).filter((name) => name.startsWith("run-")).length + 1;
  // Two bodies that begin at once may take one number: they do the same then.
  await writeFile(join(control, `run-${run}-${process.pid}`), "");
  return run;
}

async function perform(one: Deed, run: number, { workspace, params: { control }, attempt, signal }: Body) {
  const file = (path: string): string => join(workspace.path, path);
  switch (one.do) {
    case "write":
      return write(file(one.path), `${attempt.taskId} ${attempt.retryCount} body ${run} process ${process.pid}\n`);
    case "rewrite":
      return write(file(one.path), "the same bytes each time\n");
    case "remove":
      return rm(file(one.path), { force: true });
    case "wait":
      return pause(one.ms, undefined, { signal });
    case "await_death":
      return awaitDeath(control, attempt.taskId, signal);
    case "leave_child":
      spawn("sh", ["-c", 'while sleep 0.05; do echo more >> "$0"; done', file(one.path)], { stdio: "ignore" }).unref();
      return undefined;
    case "fail":
      throw new TaskFailed("this body fails");
    case "fail_terminally":
      throw new TaskTerminalError("this body fails for good");
  }
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function awaitDeath(control: string, taskId: string, signal: AbortSignal): Promise<void> {
  const over = join(control, "killed");
  await writeFile(join(control, `pid-${taskId}`), String(process.pid));
  const endMs = performance.now() + HOLD_LIMIT_MS;
  while (performance.now() < endMs && !(await isThere(over))) await pause(HOLD_LOOK_MS, undefined, { signal });
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
