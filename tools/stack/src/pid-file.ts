import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { isAlive } from "./process-identity.ts";
import type { ProcessIdentity } from "./process-identity.ts";

/** What stands in a pid file: which process it is and where it listens. */
export interface PidRecord extends ProcessIdentity {
  readonly port: number;
}

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

/** The living process of a pid file; undefined where there is no file, or its process has ended. */
export async function readLivePid(path: string): Promise<PidRecord | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  const record = text === undefined ? undefined : parsePidRecord(text);
  return record !== undefined && (await isAlive(record)) ? record : undefined;
}

/** Removes a pid file; one that is missing is fine. */
export async function removePidFile(path: string): Promise<void> {
  await rm(path, { force: true });
}
