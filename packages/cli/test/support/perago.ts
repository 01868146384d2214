import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
/** Stripped types are kept between runs. */
const COMPILE_CACHE = fileURLToPath(new URL("../../node_modules/.cache/node-compile", import.meta.url));
const DEADLINE_MS = 50_000;

/** What a run left behind. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A run that may be signalled and waited for. */
export interface Running {
  readonly pid: number;
  readonly output: { stdout: string; stderr: string };
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: the folder of the fixtures. */
  readonly folder?: string;
  /** Default: the sources under this Node. */
  readonly command?: readonly [string, ...string[]];
}

/** Path of a fixture module. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
}

/** Starts the command as a process of its own, with an environment that holds nothing of ours. */
export function launch(args: readonly string[], options: RunOptions = {}): Running {
  const [file, ...before] = options.command ?? [process.execPath, "--conditions=perago-source", MAIN];
  const child: ChildProcessWithoutNullStreams = spawn(file, [...before, ...args], {
    cwd: options.folder ?? fixture(""),
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...options.environment,
    },
  });
  child.stdin.end();
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode, signal) => {
      clearTimeout(deadline);
      resolve({ exitCode, signal, ...output });
    });
  });
  return { pid: child.pid ?? 0, output, kill: (signal) => child.kill(signal), ended };
}

/** Runs the command to its end. */
export async function perago(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return await launch(args, options).ended;
}

/** An empty folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "perago-cli-")));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  return folder;
}
