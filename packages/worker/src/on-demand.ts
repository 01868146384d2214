import type { HardFenceState } from "@perago/fence/hard-fence";
import type { LakefsClient } from "@perago/lakefs-sync";
import type { HardFenceAt } from "./lakefs/hard-fence.ts";
import type { LocalRun } from "./local/drive-locally.ts";
import type { HereRunOptions } from "./local/run-here.ts";
import type { LocalRunOptions } from "./local/run-locally.ts";
import type { RunHostOptions, RunningHost } from "./host/run-host.ts";

// What moves data or keeps logs is loaded when it is called: it takes longer to load than a check takes (bench B11).

/**
 * Puts a whole host together and starts it: servers looked at first, then lock, executors and polls.
 * Throws `ConductorError` or `LakefsError` where a server is away or refuses, `PreflightError` where a TaskDef is not
 * registered, `HostLockError` where another host has the workspace root, `SlotPlanError` for slots that do not fit.
 */
export async function runHost(options: RunHostOptions): Promise<RunningHost> {
  const loaded = await import("./host/run-host.ts");
  return loaded.runHost(options);
}

/** Runs one body on a local folder without any server, as a read-only attempt; publishes and removes nothing. */
export async function runLocally(options: LocalRunOptions): Promise<LocalRun> {
  const loaded = await import("./local/run-locally.ts");
  return loaded.runLocally(options);
}

/** As `runLocally`, with the body of a task object in this very process: for tests. */
export async function runHere(options: HereRunOptions): Promise<LocalRun> {
  const loaded = await import("./local/run-here.ts");
  return loaded.runHere(options);
}

/** What a commit carries where the action of its target stands (rule H3). Throws `LakefsError`. */
export async function readHardFence(client: LakefsClient, at: HardFenceAt): Promise<HardFenceState> {
  const loaded = await import("./lakefs/hard-fence.ts");
  return loaded.readHardFence(client, at);
}

/**
 * Whether the server refuses by the action that a commit carries: a wrong merge onto a throw-away branch (fault D7).
 */
export async function probeHardFence(
  client: LakefsClient,
  at: Pick<HardFenceAt, "repository" | "commitId">,
): Promise<boolean> {
  const loaded = await import("./lakefs/hard-fence.ts");
  return loaded.probeHardFence(client, at);
}
