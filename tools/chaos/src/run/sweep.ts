import { setTimeout as pause } from "node:timers/promises";
import type { History } from "../audit/history.ts";
import { executionFolders } from "./host-process.ts";
import type { Scene } from "./scene.ts";
import { within } from "./until.ts";

const TTL_MS = 1500;
const FOLDER_SWEEP_MS = 15_000;

/** Rule X3, when nothing runs any more: sweeps branches and folders past a short TTL, and says what was swept. */
export async function sweepAll(
  scene: Scene,
  repositories: readonly string[],
  folder: string,
): Promise<History["left"]["isSwept"]> {
  scene.keepsUp = false;
  await Promise.all(scene.hosts.map(async (host) => host.current()?.stop()));
  const branches = await isDone(scene, "branches", async () => {
    // A branch that was given up before its staging commit ages from the first sweep that meets it.
    for (let round = 0; round < 2; round += 1) {
      await pause(2 * TTL_MS);
      for (const repository of repositories) await scene.lake.sweep(repository, TTL_MS, folder);
    }
  });
  const folders = await isDone(scene, "folders", async () => {
    await Promise.all(
      scene.hosts.map(async (host) => {
        await host.start({ PERAGO_WORKSPACE_GC_TTL: "1s", PERAGO_WORKSPACE_GC_INTERVAL: "1s" });
        await within(FOLDER_SWEEP_MS, async () => (await executionFolders(host.workspaceRoot)).length === 0);
      }),
    );
  });
  return { branches, folders };
}

async function isDone(scene: Scene, what: string, sweep: () => Promise<void>): Promise<boolean> {
  try {
    await sweep();
    return true;
  } catch (error) {
    scene.say(`${what} could not be swept: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
