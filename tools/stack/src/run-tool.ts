import { spawn } from "node:child_process";
import { once } from "node:events";

/** How a tool ended: its exit code (null by signal or where it could not be started) and what it printed. */
export interface ToolResult {
  readonly exitCode: number | null;
  readonly output: string;
}

/** A program to run to its end. */
export interface ToolRun {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly environment?: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const MAX_OUTPUT_CHARS = 65_536;

/** Runs a program without input and keeps the end of what it prints on both streams. Never throws for its failure. */
export async function runTool(run: ToolRun): Promise<ToolResult> {
  const timeout = AbortSignal.timeout(run.timeoutMs);
  const child = spawn(run.file, run.args, {
    cwd: run.cwd,
    env: run.environment ?? process.env,
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own: what the tool itself starts (compilers, a Maven JVM) ends with it.
    detached: true,
  });
  let output = "";
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-MAX_OUTPUT_CHARS);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const stop = () => killGroup(child.pid);
  const signal = run.signal === undefined ? timeout : AbortSignal.any([timeout, run.signal]);
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (signal.aborted) stop();
    const [exitCode]: unknown[] = await once(child, "close");
    return { exitCode: typeof exitCode === "number" ? exitCode : null, output };
  } catch (error) {
    return { exitCode: null, output: String(error) };
  } finally {
    signal.removeEventListener("abort", stop);
    run.signal?.throwIfAborted();
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGTERM");
  } catch {
    // Already gone.
  }
}
