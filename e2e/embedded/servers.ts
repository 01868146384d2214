import { spawn, type ChildProcess } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** `NAME=value` of the embedded servers. */
    readonly embeddedServers: Readonly<Record<string, string>>;
  }
}

/** Longest wait for the embedded servers; they need less than a second. */
const startTimeoutMs = 30_000;

/**
 * vitest's global set-up: the embedded servers as a process of their own. Their addresses go to this project alone, and
 * not into the environment, which all projects share.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = dirname(createRequire(import.meta.url).resolve("@perago/emulator/package.json"));
  const child = spawn(process.execPath, [join(folder, "dist/main.mjs"), "--ephemeral"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  project.provide("embeddedServers", Object.fromEntries(await settingsOf(child)));
  return async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  };
}

/** Reads the `NAME=value` lines that the servers print when both listen. */
async function settingsOf(child: ChildProcess): Promise<ReadonlyMap<string, string>> {
  const settings = new Map<string, string>();
  const { stdout } = child;
  if (stdout === null) throw new Error("the embedded servers have no output");
  const timer = setTimeout(() => child.kill("SIGKILL"), startTimeoutMs);
  try {
    for await (const line of createInterface({ input: stdout })) {
      const at = line.indexOf("=");
      if (at > 0) settings.set(line.slice(0, at), line.slice(at + 1));
      if (settings.size === settingCount) return settings;
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error("the embedded servers ended before they listened; is the repository built (pnpm build)?");
}

const settingCount = 4;
