import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** A process that cannot be mistaken for a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque: when the process started, with the machine's boot where that is known. */
  readonly started: string;
}

/** What the text of /proc/<pid>/stat says: whether the process lives, and its start in clock ticks since boot. */
export function parseProcStat(text: string): { isAlive: boolean; startTicks: string } | undefined {
  // The command name stands in parentheses and may hold blanks and parentheses itself.
  const fields = text
    .slice(text.lastIndexOf(")") + 1)
    .trim()
    .split(/\s+/);
  const [state, threadCount, startTicks] = [fields[0], fields[17], fields[19]];
  if (state === undefined || startTicks === undefined || !/^[0-9]+$/.test(startTicks)) return undefined;
  // A zombie with other threads is still ending: its ports and files are still open.
  const isDead = (state === "Z" || state === "X") && Number(threadCount) <= 1;
  return { isAlive: !isDead, startTicks };
}

/**
 * The living process with this pid, or undefined where there is none (one that only waits to be reaped counts as none).
 */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const started = process.platform === "linux" ? await startedLinux(pid) : await startedByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether that very process still lives. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.started === identity.started;
}

async function startedLinux(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  const parsed = stat === undefined ? undefined : parseProcStat(stat);
  if (parsed?.isAlive !== true) return undefined;
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  return `${boot.trim()}/${parsed.startTicks}`;
}

async function startedByPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "stat=,lstart=", "-p", String(pid)]);
    const [state, ...started] = stdout.trim().split(/\s+/);
    return state === undefined || state === "" || state.startsWith("Z") ? undefined : started.join(" ");
  } catch {
    return undefined;
  }
}
