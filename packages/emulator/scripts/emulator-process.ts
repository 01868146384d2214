import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** An emulator in a process of its own, started from source. */
export interface EmulatorProcess {
  readonly url: string;
  readonly authorization: string;
  /** Ends it with a signal and waits until it is gone; its exit code, null where the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

const START_LIMIT_MS = 30_000;
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Starts an emulator on a folder and waits until it says where it is. Rejects with what it wrote where it does not. */
export async function spawnEmulator(folder: string): Promise<EmulatorProcess> {
  const child = spawn(process.execPath, ["--conditions=perago-source", main, "--folder", folder], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { NODE_COMPILE_CACHE: join(folder, "compile-cache") },
  });
  const settings = await readSettings(child);
  const key = settings.get("LAKECTL_CREDENTIALS_ACCESS_KEY_ID") ?? "";
  const secret = settings.get("LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY") ?? "";
  return {
    url: settings.get("LAKECTL_SERVER_ENDPOINT_URL") ?? "",
    authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}`,
    async end(signal) {
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
      return child.exitCode;
    },
  };
}

async function readSettings(child: ChildProcess): Promise<Map<string, string>> {
  let said = "";
  let complaint = "";
  child.stderr?.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`the emulator did not start: ${why}: ${complaint}`));
    const limit = setTimeout(() => fail("it took too long"), START_LIMIT_MS);
    child.once("exit", () => {
      clearTimeout(limit);
      fail("it ended");
    });
    child.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (!/SECRET_ACCESS_KEY=.+\n/.test(said)) return;
      clearTimeout(limit);
      resolve(
        new Map(
          said
            .trim()
            .split("\n")
            .map((line) => pair(line)),
        ),
      );
    });
  });
}

function pair(line: string): [string, string] {
  const at = line.indexOf("=");
  return [line.slice(0, at), line.slice(at + 1)];
}
