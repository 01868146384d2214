import { mkdir, rm, stat } from "node:fs/promises";
import type { UpCommand } from "./args.ts";
import { choosePorts, refuseBusyPorts } from "./choose-ports.ts";
import { StackError } from "./errors.ts";
import { readSettings, secretsOf, writeSettings } from "./instance.ts";
import type { InstanceSettings } from "./instance.ts";
import { SERVER_NAMES } from "./layout.ts";
import type { InstanceLayout } from "./layout.ts";
import { withLock } from "./lock.ts";
import { readPidFile } from "./pid-file.ts";
import type { ServerPlan } from "./server-plan.ts";
import { startAll } from "./start-all.ts";
import type { Running } from "./start-all.ts";
import { stopServer } from "./supervise.ts";

/** What every command works with. */
export interface StackContext {
  readonly layout: InstanceLayout;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** How long a server has to end by itself before it is killed; 30 s where it is left out. */
  readonly stopTimeoutMs?: number;
}

/** What `up` works with. `plan` is the seam for tests: real servers, or a small script in their place. */
export interface UpContext extends StackContext {
  /** Both servers' plans, building or fetching what is missing. */
  readonly plan: (settings: InstanceSettings) => Promise<readonly ServerPlan[]>;
}

// An `up` that holds the lock may be building for the first time.
const LOCK_TIMEOUT_MS = 90 * 60_000;

/**
 * Brings an instance up, whatever state it was left in; what already runs is left alone. Throws StackError; the codes
 * are in the README.
 */
export async function up(context: UpContext, command: UpCommand): Promise<InstanceSettings> {
  const { layout, say, signal, stopTimeoutMs } = context;
  await mkdir(layout.root, { recursive: true, mode: 0o700 });
  return withLock(instanceLock(context), async () => {
    if (command.fresh) await wipe(context);
    const running = await runningServers(layout);
    const earlier = await readSettings(layout);
    if (earlier === undefined) await refuseForeignData(layout);
    const settings = await choosePorts(command, { earlier, running });
    const plans = await context.plan(settings);
    const missing = plans.filter(({ server }) => running[server].state !== "running");
    await refuseBusyPorts(missing);
    await writeSettings(layout, settings);
    if (missing.length === 0) say(`instance "${layout.name}" is already running`);
    for (const { title, port, server } of missing) {
      const ended = running[server].state === "ended";
      say(ended ? `${title} had ended: starting it on its data, port ${port}` : `starting ${title}, port ${port}`);
    }
    await startAll({ layout, plans, running, secrets: secretsOf(settings), signal, say, stopTimeoutMs });
    return settings;
  });
}

/** Stops both servers of an instance; data and settings stay. */
export async function down(context: StackContext): Promise<void> {
  const { layout, say, stopTimeoutMs } = context;
  if (!(await exists(layout.root))) return say(`instance "${layout.name}" does not exist`);
  await withLock(instanceLock(context), async () => {
    for (const server of SERVER_NAMES) say(`${server} ${await stopServer(layout, server, stopTimeoutMs)}`);
  });
}

/** How both servers of an instance are: running, ended by themselves, or stopped. */
export async function runningServers(layout: InstanceLayout): Promise<Running> {
  return {
    lakefs: await readPidFile(layout.pidFile("lakefs")),
    conductor: await readPidFile(layout.pidFile("conductor")),
  };
}

/** The lock that `up` and `down` of one instance hold against each other. */
function instanceLock({ layout, signal, say }: StackContext) {
  return { file: layout.lockFile, guards: `instance "${layout.name}"`, timeoutMs: LOCK_TIMEOUT_MS, signal, say };
}

async function wipe({ layout, say, stopTimeoutMs }: StackContext): Promise<void> {
  for (const server of SERVER_NAMES) {
    if ((await stopServer(layout, server, stopTimeoutMs)) === "stopped") say(`${server} stopped, to begin fresh`);
    await rm(layout.dataRoot(server), { recursive: true, force: true });
  }
  await rm(layout.temporaryRoot, { recursive: true, force: true });
}

/** lakeFS keeps credentials encrypted with a key in the settings: without them the data cannot be opened. */
async function refuseForeignData(layout: InstanceLayout): Promise<void> {
  if (!(await exists(layout.dataRoot("lakefs")))) return;
  throw new StackError({
    code: "SETTINGS_LOST",
    message: `${layout.root} has data but no instance.json, so nobody has its credentials`,
    hint: "begin with empty data: pnpm stack up --fresh",
    exitCode: 2,
  });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
