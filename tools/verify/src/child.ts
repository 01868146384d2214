import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";

/** How a child process ended, with all it printed. `exitCode` is null where a signal or the time limit ended it. */
export interface ChildResult {
  readonly exitCode: number | null;
  readonly output: string;
}

const timeLimitMs = 20 * 60_000;
const maxOutputChars = 2_000_000;

/**
 * Runs a program of the workspace (`node_modules/.bin` of `toolRoot` comes first on PATH) in `cwd` and waits for its
 * end, at most 20 minutes. What it prints is kept, the beginning of it first, up to 2,000,000 letters.
 */
export function runChild(command: readonly string[], cwd: string, toolRoot: string = cwd): Promise<ChildResult> {
  const [program = "", ...args] = command;
  const path = `${join(toolRoot, "node_modules/.bin")}${delimiter}${process.env["PATH"] ?? ""}`;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, PATH: path, NO_COLOR: "1", FORCE_COLOR: undefined },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeLimitMs,
    });
    let output = "";
    const keep = (chunk: string): void => {
      if (output.length < maxOutputChars) output += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    child.on("error", (error) => resolve({ exitCode: null, output: `${program}: ${error.message}` }));
    child.on("close", (exitCode) =>
      resolve({ exitCode, output: exitCode === null ? `${output}\n${program}: killed` : output }),
    );
  });
}
