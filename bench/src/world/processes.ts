import { spawn } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";

const SHOWN_OUTPUT_CHARS = 1000;

/** A command that ran to its end. */
export interface Finished {
  readonly elapsedMs: number;
  readonly stdout: string;
}

/** How a command is run. */
export interface CommandOptions {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/**
 * Runs a command to its end and says how long that took.
 * @throws {Error} with the end of its output where it ends with anything but 0.
 */
export async function runCommand(
  program: string,
  args: readonly string[],
  { folder, env = {}, signal }: CommandOptions,
): Promise<Finished> {
  const beginMs = performance.now();
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(signal === undefined ? {} : { signal }),
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [exitCode]: unknown[] = await once(child, "close");
  const elapsedMs = performance.now() - beginMs;
  if (exitCode === 0) return { elapsedMs, stdout };
  const said = `${stdout}${stderr}`.slice(-SHOWN_OUTPUT_CHARS);
  throw new Error(`${program} ${args.slice(0, 2).join(" ")} ended with ${String(exitCode)}: ${said}`);
}
