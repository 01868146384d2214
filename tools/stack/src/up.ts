import { mkdir, rm, stat } from "node:fs/promises";
import type { UpCommand } from "./args.ts";
import { StackError } from "./errors.ts";
import { isHealthy } from "./health.ts";
import { newSettings, readSettings, secretsOf, writeSettings } from "./instance.ts";
import type { InstanceSettings } from "./instance.ts";
import { SERVER_NAMES } from "./layout.ts";
import type { InstanceLayout, ServerName } from "./layout.ts";
import { withLock } from "./lock.ts";
import { readLivePid } from "./pid-file.ts";
import type { PidRecord } from "./pid-file.ts";
import { decidePort, freePort, isPortFree, portHolder } from "./ports.ts";
import type { ServerPlan } from "./server-plan.ts";
import { startServer, stopServer, waitHealthy } from "./supervise.ts";

/** What `up` works with. `plan` is the seam for tests: real servers, or a small script in their place. */
export interface StackContext {
  readonly layout: InstanceLayout;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Both servers' plans, building or fetching what is missing. */
  readonly plan: (settings: InstanceSettings) => Promise<readonly ServerPlan[]>;
}

const LOCK_TIMEOUT_MS = 90 * 60_000;

type Running = Readonly<Record<ServerName, PidRecord | undefined>>;

/** Brings an instance up, whatever state it was left in; what already runs is left alone. */
export async function up(context: StackContext, command: UpCommand): Promise<InstanceSettings> {
  const { layout } = context;
  await mkdir(layout.root, { recursive: true, mode: 0o700 });
  return withLock(instanceLock(context), async () => {
    if (command.fresh) await wipe(context);
    const running = await runningServers(layout);
    const earlier = await readSettings(layout);
    if (earlier === undefined) await refuseForeignData(layout);
    const settings = await choosePorts(command, { earlier, running });
    const plans = await context.plan(settings);
    const stopped = plans.filter(({ server }) => running[server] === undefined);
    if (stopped.length > 0) await refuseBusyPorts(stopped);
    await writeSettings(layout, settings);
    await announce(context, { earlier, plans, stopped });
    await startAll(context, { plans, stopped, running, secrets: secretsOf(settings) });
    return settings;
  });
}

/** Stops both servers of an instance; data and settings stay. */
export async function down(context: Omit<StackContext, "plan">): Promise<void> {
  const { layout, say } = context;
  if (!(await exists(layout.root))) return say(`instance "${layout.name}" does not exist`);
  await withLock(instanceLock(context), async () => {
    for (const server of SERVER_NAMES) say(`${server} ${await stopServer(layout, server)}`);
  });
}

/** The lock that `up` and `down` of one instance hold against each other. */
function instanceLock({ layout, signal, say }: Omit<StackContext, "plan">) {
  return { file: layout.lockFile, guards: `instance "${layout.name}"`, timeoutMs: LOCK_TIMEOUT_MS, signal, say };
}

/** Which servers of an instance live. */
export async function runningServers(layout: InstanceLayout): Promise<Running> {
  return {
    lakefs: await readLivePid(layout.pidFile("lakefs")),
    conductor: await readLivePid(layout.pidFile("conductor")),
  };
}

async function wipe({ layout, say }: StackContext): Promise<void> {
  for (const server of SERVER_NAMES) {
    if ((await stopServer(layout, server)) === "stopped") say(`${server} stopped, to begin fresh`);
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

async function choosePorts(
  command: UpCommand,
  { earlier, running }: { earlier: InstanceSettings | undefined; running: Running },
): Promise<InstanceSettings> {
  const lakefsPort = await choosePort("lakefs", command, { earlierPort: earlier?.lakefsPort, running });
  const conductorPort = await choosePort("conductor", command, { earlierPort: earlier?.conductorPort, running });
  return earlier === undefined ? newSettings({ lakefsPort, conductorPort }) : { ...earlier, lakefsPort, conductorPort };
}

async function choosePort(
  server: ServerName,
  command: UpCommand,
  { earlierPort, running }: { earlierPort: number | undefined; running: Running },
): Promise<number> {
  const choice = decidePort(server, command, earlierPort);
  const current = running[server]?.port;
  if (current !== undefined) {
    if (choice.kind !== "fixed" || choice.port === current) return current;
    throw new StackError({
      code: "ALREADY_RUNNING",
      message: `${server} of instance "${command.name}" already runs on port ${current}, not ${choice.port}`,
      hint: "stop it first (pnpm stack down), or start another instance with --name",
      exitCode: 2,
    });
  }
  if (choice.kind === "any") return freePort();
  return choice.kind === "fixed" || (await isPortFree(choice.port)) ? choice.port : freePort();
}

async function refuseBusyPorts(plans: readonly ServerPlan[]): Promise<void> {
  for (const { title, port, server } of plans) {
    if (await isPortFree(port)) continue;
    const holder = await portHolder(port);
    throw new StackError({
      code: "PORT_IN_USE",
      message: `port ${port} for ${title} is in use${holder === undefined ? "" : ` by ${holder}`}`,
      hint: `end it, or take another port: --${server}-port N or --free-ports`,
      exitCode: 2,
    });
  }
}

async function announce(
  { layout, say }: StackContext,
  { earlier, plans, stopped }: { earlier: unknown; plans: readonly ServerPlan[]; stopped: readonly ServerPlan[] },
): Promise<void> {
  if (stopped.length === 0) return say(`instance "${layout.name}" is already running`);
  const restarted = earlier !== undefined && stopped.length < plans.length;
  for (const { title, port } of stopped) {
    say(restarted ? `${title} had ended: starting it on its data, port ${port}` : `starting ${title} on port ${port}`);
  }
}

interface StartInput {
  readonly plans: readonly ServerPlan[];
  readonly stopped: readonly ServerPlan[];
  readonly running: Running;
  readonly secrets: readonly string[];
}

async function startAll(context: StackContext, { plans, stopped, running, secrets }: StartInput): Promise<void> {
  const { layout, say } = context;
  // One that fails ends the wait for the other.
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  try {
    const started = await Promise.all(
      stopped.map(async (plan) => [plan.server, await startServer(layout, plan)] as const),
    );
    const records = new Map<ServerName, PidRecord | undefined>([
      ...Object.entries(running).map(
        ([server, record]) => [server === "lakefs" ? "lakefs" : "conductor", record] as const,
      ),
      ...started,
    ]);
    await Promise.all(
      plans.map(async (plan) => {
        const record = records.get(plan.server);
        if (record === undefined || (stopped.length === 0 && (await isHealthy(plan)))) return;
        await waitHealthy({ layout, plan, record, secrets, signal });
        if (stopped.includes(plan)) say(`${plan.title} is healthy`);
      }),
    );
  } catch (error) {
    stop.abort();
    // Whatever this call started goes again, so that the next `up` meets a clean state.
    for (const { server } of stopped) await stopServer(layout, server);
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
