import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { systemCodeOf } from "./errors.ts";
import { isAlive } from "./process-identity.ts";
import type { ProcessIdentity } from "./process-identity.ts";

/** What stands in a pid file: which process it is and where it listens. */
export interface PidRecord extends ProcessIdentity {
  readonly port: number;
}

/**
 * What a pid file says. `stop` removes the file, so one whose process is gone tells of a server that was killed, that
 * crashed, or of a restart of the machine: "ended".
 */
export type PidState =
  | { readonly state: "running"; readonly record: PidRecord }
  | { readonly state: "ended" | "stopped"; readonly record?: undefined };

/** The record in a text, or undefined where it is not one (half-written, emptied, foreign). */
export function parsePidRecord(text: string): PidRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  if (!("pid" in value) || !("started" in value) || !("port" in value)) return undefined;
  const { pid, started, port } = value;
  if (typeof pid !== "number" || typeof started !== "string" || typeof port !== "number") return undefined;
  // pid 0 and negative pids name process groups to kill(2), 1 is init: never ours.
  return Number.isSafeInteger(pid) && pid > 1 ? { pid, started, port } : undefined;
}

/** Writes the record whole or not at all. */
export async function writePidFile(path: string, record: PidRecord): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Reads a pid file and looks whether its very process still lives. */
export async function readPidFile(path: string): Promise<PidState> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return { state: "stopped" };
    throw error;
  }
  const record = parsePidRecord(text);
  return record !== undefined && (await isAlive(record)) ? { state: "running", record } : { state: "ended" };
}

/** Removes a pid file; one that is missing is fine. */
export async function removePidFile(path: string): Promise<void> {
  await rm(path, { force: true });
}
