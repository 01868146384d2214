import { execFileSync } from "node:child_process";
import { cpus, release, tmpdir, totalmem, type } from "node:os";
import { openLakefs } from "./world/servers.ts";

/** What the figures were measured on. */
export interface Machine {
  readonly cpu: string;
  readonly cpuCount: number;
  readonly memoryBytes: number;
  readonly system: string;
  /** File system below the temporary folder. */
  readonly disk: string;
  readonly node: string;
  readonly lakefs: string;
  readonly measuredAt: string;
}

/** Describes this machine and its servers; asks lakeFS for its version. */
export async function describeMachine(): Promise<Machine> {
  const client = openLakefs();
  const { version } = await client.getConfig();
  await client.close();
  const all = cpus();
  return {
    cpu: all[0]?.model ?? "unknown CPU",
    cpuCount: all.length,
    memoryBytes: totalmem(),
    system: `${type()} ${release()}`,
    disk: fileSystemOf(tmpdir()),
    node: process.versions.node,
    lakefs: version,
    measuredAt: new Date().toISOString(),
  };
}

function fileSystemOf(folder: string): string {
  try {
    return execFileSync("stat", ["-f", "-c", "%T", folder], { encoding: "utf8" }).trim();
  } catch {
    return "an unknown file system";
  }
}
