import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { DemoError, until } from "./until.ts";

const STOP_LIMIT_MS = 10_000;
const COMMAND_LIMIT_MS = 60_000;
const SHOWN_OUTPUT_CHARS = 2_000;

/** Where processes of the demo are started. */
export interface Place {
  readonly environment: Readonly<Record<string, string>>;
  /** Working folder: one without `.env`. */
  readonly folder: string;
  /** Ends what runs. */
  readonly signal: AbortSignal;
}

/** The reference host of `apps/worker`, as users find it. */
export const reference = {
  folder: dirname(fileURLToPath(import.meta.resolve("@perago/app-worker/package.json"))),
  script: (name: string): string => join(reference.folder, "scripts", name),
  modules: ["catalog-report.ts", "features-build.ts", "metadata-validate.ts"].map((name) =>
    join(dirname(fileURLToPath(import.meta.resolve("@perago/app-worker/package.json"))), "src/tasks", name),
  ),
};

/** The file of the `perago` command. */
export function commandFile(): string {
  const manifest = new URL(import.meta.resolve("@perago/cli/package.json"));
  const { bin } = z.object({ bin: z.object({ perago: z.string() }) }).parse(JSON.parse(readFileSync(manifest, "utf8")));
  return fileURLToPath(new URL(bin.perago, manifest));
}

/** Runs a Node program to its end; answers its stdout. Throws DemoError where it does not end with 0. */
export async function runNode(args: readonly string[], place: Place): Promise<string> {
  const running = start(args, place);
  const timer = setTimeout(() => running.child.kill("SIGKILL"), COMMAND_LIMIT_MS);
  await running.ended;
  clearTimeout(timer);
  place.signal.throwIfAborted();
  if (running.child.exitCode === 0) return running.stdout();
  throw new DemoError(`${args.join(" ")} ended with ${running.child.exitCode}: ${running.tail()}`);
}

/** A host that polls. */
export interface DemoHost {
  /** SIGTERM, and the end. */
  stop(): Promise<void>;
  /** What it has written to stderr. */
  log(): string;
}

/** Starts `perago start` and waits until it polls. */
export async function startHost(args: readonly string[], place: Place): Promise<DemoHost> {
  const running = start([commandFile(), "start", ...args, "--json"], place);
  const stop = async (): Promise<void> => {
    running.child.kill("SIGTERM");
    const timer = setTimeout(() => running.child.kill("SIGKILL"), STOP_LIMIT_MS);
    await running.ended;
    clearTimeout(timer);
  };
  try {
    await until("the host polls", place.signal, () => {
      if (running.child.exitCode !== null) throw new DemoError(`the host ended: ${running.tail()}`);
      return running.stdout().includes("\n") ? true : undefined;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop, log: running.stderr };
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  stdout(): string;
  stderr(): string;
  /** The last of what it said. */
  tail(): string;
}

function start(args: readonly string[], { environment, folder, signal }: Place): Running {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A terminal's Ctrl-C reaches the child too; a signal sent to the demo alone must not leave it behind.
  const end = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", end, { once: true });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").finally(() => signal.removeEventListener("abort", end));
  return {
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    tail: () => `${stdout}${stderr}`.slice(-SHOWN_OUTPUT_CHARS),
  };
}
