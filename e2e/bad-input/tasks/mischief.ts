import { execFileSync, spawnSync } from "node:child_process";
import { chmod, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { defineTask, forbidGlob, TaskFailed, TaskTerminalError } from "@perago/taskdef";
import { z } from "zod";
import { ownerEmail } from "../../tasks/controls.ts";
import { named } from "../../tasks/named.ts";

const HOLD_LOOK_MS = 25;
const HOLD_LIMIT_MS = 30_000;

/** What goes wrong in a body. All but `nothing` change a file first, so that there is something to publish. */
const mischief = z.enum([
  "nothing",
  "change",
  "hold",
  "leave a link",
  "leave a FIFO",
  "leave a socket",
  "leave an unreadable file",
  "leave junk",
  "write a name too long",
  "make an action",
  "fail",
  "fail terminally",
  "throw a bare error",
  "exit",
  "abort",
  "hang",
  "return NaN",
  "return Infinity",
  "return a Map",
  "return a Date",
  "return a cycle",
  "return an undeclared field",
  "return too much",
]);

const params = z.object({
  /** A folder outside the workspace: a body leaves the file `ran` there, and holds until the file `go` is there. */
  control: z.string(),
  mischief,
  count: z.int().min(1).default(1),
});
const output = z.object({ value: z.unknown().optional() });

const controls = {
  retry: { count: 0 },
  timeout: { policy: "TIME_OUT_WF", seconds: 4, responseSeconds: 3 },
} as const;

/** A task whose body does what it is told, without a retry: what fails has failed. */
export const mischievous = defineTask({
  name: named("mischief"),
  ownerEmail,
  workspace: { prefix: "/work", pre: [forbidGlob("**/not-before.txt")], post: [forbidGlob("**/.DS_Store")] },
  params,
  output,
  controls,
  run: misbehave,
});

/** The same on the whole repository. */
export const everywhere = defineTask({
  name: named("everywhere"),
  ownerEmail,
  workspace: { prefix: "/" },
  params,
  output,
  controls,
  run: misbehave,
});

type Mischief = z.output<typeof mischief>;

interface Context {
  readonly params: z.output<typeof params>;
  readonly workspace: { readonly path: string };
  readonly signal: AbortSignal;
}

async function misbehave({ workspace, params: { control, mischief: what }, signal }: Context) {
  await writeFile(join(control, "ran"), "");
  if (what !== "nothing") await writeFile(join(workspace.path, "a.txt"), "changed by the body");
  await leave(what, workspace.path);
  await end(what, control, signal);
  const undeclared = what === "return an undeclared field" ? { undeclared: 1 } : {};
  return { value: valueOf(what), ...undeclared };
}

async function leave(what: Mischief, folder: string): Promise<void> {
  switch (what) {
    case "leave a link":
      return symlink("a.txt", join(folder, "link-to-a"));
    case "leave a FIFO":
      execFileSync("mkfifo", [join(folder, "pipe")]);
      return;
    case "leave a socket":
      return leaveSocket(join(folder, "socket"));
    case "leave an unreadable file":
      await writeFile(join(folder, "locked.txt"), "nobody reads this");
      return chmod(join(folder, "locked.txt"), 0o000);
    case "leave junk":
      return writeFile(join(folder, ".DS_Store"), "");
    case "write a name too long": {
      // Each name is one that the disk takes; the key is 5 + 5 * 205 bytes.
      const long = join(folder, ...Array.from({ length: 5 }, () => "ü".repeat(102)), "x.txt");
      await mkdir(dirname(long), { recursive: true });
      return writeFile(long, "");
    }
    case "make an action":
      await mkdir(join(folder, "_lakefs_actions"));
      return writeFile(join(folder, "_lakefs_actions/mine.yaml"), "");
    default:
  }
}

/** A name that is bound and never unlinked: its owner is killed. */
function leaveSocket(path: string): void {
  const script =
    "require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))";
  spawnSync(process.execPath, ["-e", script, path]);
}

async function end(what: Mischief, control: string, signal: AbortSignal): Promise<void> {
  switch (what) {
    case "hold":
      return hold(control, signal);
    case "hang":
      await pause(HOLD_LIMIT_MS, undefined, { signal });
      return;
    case "fail":
      throw new TaskFailed("the third row has no date");
    case "fail terminally":
      throw new TaskTerminalError("there will never be a third row");
    case "throw a bare error":
      throw new RangeError("row 3 of 2");
    case "exit":
      process.exit(0);
    case "abort":
      process.kill(process.pid, "SIGKILL");
      await pause(HOLD_LIMIT_MS);
      return;
    default:
  }
}

async function hold(control: string, signal: AbortSignal): Promise<void> {
  const endMs = performance.now() + HOLD_LIMIT_MS;
  while (!(await readdir(control)).includes("go")) {
    signal.throwIfAborted();
    if (performance.now() > endMs) throw new Error("nobody let this body go on");
    await pause(HOLD_LOOK_MS);
  }
}

function valueOf(what: Mischief): unknown {
  switch (what) {
    case "return NaN":
      return { ratios: [1, Number.NaN] };
    case "return Infinity":
      return Number.POSITIVE_INFINITY;
    case "return a Map":
      return new Map([["a", 1]]);
    case "return a Date":
      return new Date(0);
    case "return a cycle": {
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      return cycle;
    }
    case "return too much":
      return "x".repeat(3_000_001);
    default:
      return undefined;
  }
}
