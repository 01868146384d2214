import { open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { realServers } from "@perago/e2e/support/settings.ts";
import { runCommand } from "./processes.ts";

const MTIME_STEP_MS = 2000;

/** What `lakectl` does in place of an attempt. */
export interface LakectlWork {
  readonly repository: string;
  /** A branch made for this work, at the input. */
  readonly branch: string;
  readonly target: string;
  /** File below `data/` that is changed. */
  readonly path: string;
  readonly stamp: string;
  /** An empty folder that is not there yet. */
  readonly folder: string;
}

/**
 * The work of one attempt by lakeFS' own command: `local clone`, a change, `local commit`, `merge`. Answers the
 * milliseconds of the three commands and the change between them.
 */
export async function workByLakectl(lakectl: string, work: LakectlWork): Promise<number> {
  const { repository, branch, target, folder } = work;
  const env = lakectlEnvironment();
  // No settings of the person who measures: only what the environment says.
  const config = `${folder}.lakectl.yaml`;
  await writeFile(config, "{}\n");
  const run = (args: readonly string[]) => runCommand(lakectl, ["-c", config, ...args], { folder: "/", env });
  const beginMs = performance.now();
  await run(["local", "clone", `lakefs://${repository}/${branch}/data/`, folder, "--no-progress"]);
  const file = await open(join(folder, work.path), "r+");
  await file.write(work.stamp, 0);
  // It tells a change by size and by mtime in whole seconds, and the input may have been made in this one.
  await file.utimes(new Date(), new Date(Date.now() + MTIME_STEP_MS));
  await file.close();
  await run(["local", "commit", folder, "-m", "bench", "--no-progress", "-y"]);
  await run(["merge", `lakefs://${repository}/${branch}`, `lakefs://${repository}/${target}`, "-m", "bench"]);
  const elapsedMs = performance.now() - beginMs;
  await rm(folder, { recursive: true, force: true });
  return elapsedMs;
}

/** Where `lakectl` is: `pnpm stack env` prints it. */
export function lakectlPath(): string {
  const path = process.env["LAKECTL_PATH"] ?? "";
  if (path === "") throw new Error("LAKECTL_PATH is not set: pnpm stack env prints it");
  return path;
}

function lakectlEnvironment(): Record<string, string> {
  const { lakefsUrl, accessKeyId, secretAccessKey } = realServers();
  return {
    LAKECTL_SERVER_ENDPOINT_URL: lakefsUrl,
    LAKECTL_CREDENTIALS_ACCESS_KEY_ID: accessKeyId,
    LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: secretAccessKey,
  };
}
