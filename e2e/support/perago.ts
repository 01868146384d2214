import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const COMMAND_TIMEOUT_MS = 60_000;
const NODE = join(import.meta.dirname, "../node_modules/.bin/node");

/** What a process that has ended gave. */
export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How the command is started. */
export interface PeragoOptions {
  /** Working folder: one without `.env`. */
  readonly folder: string;
  /** Set over the environment of the tests; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A running process of the command, its output collected. */
export interface PeragoProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<Ended>;
}

/** Runs a command of the built `perago` to its end, whatever its exit code. */
export async function perago(args: readonly string[], options: PeragoOptions): Promise<Ended> {
  const running = spawnPerago(args, options);
  const timer = setTimeout(() => running.child.kill("SIGKILL"), COMMAND_TIMEOUT_MS);
  try {
    return await running.ended;
  } finally {
    clearTimeout(timer);
  }
}

/** Starts the built `perago` (packages/cli/dist) under the Node of this package, as a user's shell does. */
export function spawnPerago(args: readonly string[], options: PeragoOptions): PeragoProcess {
  return spawnNode([commandFile(), ...args], options);
}

/** Starts Node itself, of this package, in the same surroundings. */
export function spawnNode(args: readonly string[], { folder, env = {} }: PeragoOptions): PeragoProcess {
  const own = Object.entries(process.env).filter(([name]) => !/^(PERAGO_|NODE_OPTIONS$|VITEST)/.test(name));
  const child = spawn(NODE, args, {
    cwd: folder,
    env: { ...Object.fromEntries(own), NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(() => {
    return { exitCode: child.exitCode, signal: child.signalCode, stdout, stderr };
  });
  if (child.pid === undefined) throw new Error(`${NODE} cannot be started: run pnpm install`);
  return { child, pid: child.pid, stdout: () => stdout, stderr: () => stderr, ended };
}

/** The command's file, from its package. */
function commandFile(): string {
  const manifest = new URL(import.meta.resolve("@perago/cli/package.json"));
  const { bin } = z.object({ bin: z.object({ perago: z.string() }) }).parse(JSON.parse(readFileSync(manifest, "utf8")));
  return fileURLToPath(new URL(bin.perago, manifest));
}
