import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** Ticks a second of the times in /proc: USER_HZ, 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Its own and its ended children's, user and system. */
  readonly cpuSeconds: number;
}

/** A process and all its descendants, as they are now. Linux only. */
export function processTree(rootPid: number): readonly number[] {
  return treeOf(rootPid).map(({ pid }) => pid);
}

/** CPU seconds that a process tree has used so far, user and system, ended children included. */
export function cpuSeconds(rootPid: number): number {
  return treeOf(rootPid).reduce((sum, { cpuSeconds: own }) => sum + own, 0);
}

/** Proportional memory of a process tree, bytes: shared pages count once over all that share them. */
export function proportionalBytes(rootPid: number): number {
  return processTree(rootPid).reduce((sum, pid) => sum + pssOf(pid), 0);
}

/** Resident memory of one process, bytes, now and at its highest. */
export function residentBytes(pid: number): { readonly now: number; readonly peak: number } {
  const status = readText(`/proc/${pid}/status`) ?? "";
  return { now: kilobytes(status, "VmRSS"), peak: kilobytes(status, "VmHWM") };
}

/** Has a process' highest resident memory begin anew: what `residentBytes` says of the peak counts from here. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

function treeOf(rootPid: number): readonly Process[] {
  const all = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? readProcess(Number(name)) : []));
  const found = all.filter(({ pid }) => pid === rootPid);
  // Grows while it is walked: children of children come in behind.
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid));
  return found;
}

function readProcess(pid: number): Process[] {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return [];
  // The name in parentheses may hold anything; the fields after it are numbers.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0);
  return [{ pid, parent: Number(fields[1]), cpuSeconds: ticks / TICKS_PER_SECOND }];
}

function pssOf(pid: number): number {
  return kilobytes(readText(`/proc/${pid}/smaps_rollup`) ?? "", "Pss");
}

function kilobytes(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text)?.[1] ?? 0) * 1024;
}

/** Undefined where the process has ended. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
