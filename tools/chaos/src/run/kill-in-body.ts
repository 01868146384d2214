import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Place } from "./place.ts";
import { within } from "./until.ts";

const PID_LIMIT_MS = 10_000;
/** An executor that has lost its host must be gone by then (case S06). */
const ORPHAN_LIMIT_MS = 10_000;

/**
 * Kills the executor or the host while the body runs: it has left its pid and waits. False where it never came. An
 * executor that outlives its host is told as something that did not end.
 */
export async function killInBody(which: "kill_executor" | "kill_host_in_body", place: Place): Promise<boolean> {
  const { scene, process: running, workflow, stop } = place;
  const control = workflow.controls[Number(stop.execution.referenceTaskName.slice(1)) - 1] ?? "";
  const file = join(control, `pid-${stop.execution.taskId}`);
  let pid = Number.NaN;
  const hasBegun = await within(
    PID_LIMIT_MS,
    async () => {
      pid = Number(await readFile(file, "utf8").catch(() => "none"));
      return pid > 1;
    },
    20,
  );
  if (hasBegun && which === "kill_executor") process.kill(pid, "SIGKILL");
  if (hasBegun && which === "kill_host_in_body") {
    running.signal("SIGKILL");
    if (!(await within(ORPHAN_LIMIT_MS, async () => !(await isAlive(pid)))))
      scene.seen.unended.push(`executor of ${stop.execution.executionId} after its host was killed`);
  }
  // Later bodies need not wait.
  await writeFile(join(control, "killed"), "");
  return hasBegun;
}

/** Whether a process lives; one that only waits to be reaped does not. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z");
  return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
}
