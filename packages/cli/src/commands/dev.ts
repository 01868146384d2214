import path from "node:path";
import { findProxyVariable, LakefsClient, LakefsError } from "@perago/lakefs-sync";
import type { Settings } from "@perago/worker";
import type { CommandContext } from "../context.ts";
import { createDevHost, type DevHost } from "../dev/dev-host.ts";
import { startEmulatorThread, type RunningEmulator } from "../dev/emulator.ts";
import { watchSources } from "../dev/sources.ts";
import { openState, type StateFolder } from "../dev/state-folder.ts";
import { EXIT } from "../exit-codes.ts";
import { findingLines, labelled, oneLine } from "../output/finding-lines.ts";
import { shownPath } from "../read-modules.ts";
import { readSettings, settingsRefused } from "../settings.ts";
import { signalExitCode, type Signals, type StopSignal } from "../signals.ts";
import { slotsOf } from "../slots.ts";

/** Arguments of `perago dev`. */
export interface DevArguments {
  /** None: the servers alone. */
  readonly modules: readonly string[];
  readonly ephemeral: boolean;
  readonly jobs?: string;
  /** 0: a free one. */
  readonly lakefsPort: number;
  readonly conductorPort: number;
  readonly json: boolean;
}

/** Made where it is missing, with the branch `main`. */
const REPOSITORY = "dev";
const BRANCH = "main";

/**
 * Runs the embedded servers and a host on the modules until a signal: then it finishes what runs, ends both, 0. A
 * second
 * signal forces: 130 or 143. It never uses servers that the environment names.
 */
export async function dev(context: CommandContext, args: DevArguments, signals: Signals): Promise<number> {
  const stop = stopOn(context, signals);
  const state = await openState(context.folder, args.ephemeral);
  try {
    const { lakefsPort, conductorPort } = args;
    const emulator = await startEmulatorThread({ folder: state.emulator, lakefsPort, conductorPort });
    try {
      await serve({ context, args, stop, state, emulator });
    } finally {
      await emulator.close();
    }
  } finally {
    await state.leave();
  }
  return stop.exitCode();
}

interface Stop {
  /** Resolves at the first signal. */
  readonly asked: Promise<void>;
  /** Called at the second signal. */
  onForce(force: () => void): void;
  exitCode(): number;
}

function stopOn({ stderr }: CommandContext, signals: Signals): Stop {
  const asked = Promise.withResolvers<void>();
  let signalCount = 0;
  let exitCode: number = EXIT.ok;
  let force = (): void => {};
  signals.handle((signal: StopSignal) => {
    signalCount += 1;
    if (signalCount === 1) {
      stderr.write(labelled(stderr, "ok", `${signal}: finishing what runs; a second signal ends it at once`));
      return asked.resolve();
    }
    exitCode = signalExitCode(signal);
    force();
  });
  return { asked: asked.promise, onForce: (next) => (force = next), exitCode: () => exitCode };
}

interface Parts {
  readonly context: CommandContext;
  readonly args: DevArguments;
  readonly stop: Stop;
  readonly state: StateFolder;
  readonly emulator: RunningEmulator;
}

async function serve(parts: Parts): Promise<void> {
  const { context, args, stop, state, emulator } = parts;
  const settings = devSettings(parts);
  const envFile = await state.writeSettings(emulator);
  await ensureRepository(context, emulator);
  const host = args.modules.length === 0 ? undefined : createDevHost({ context, modules: args.modules, settings });
  stop.onForce(() => host?.force());
  if (!args.json) tellServers(parts, envFile);
  // A signal during the first start is served as well: what has begun is finished and ended.
  await Promise.race([host?.reload(), stop.asked]);
  if (args.json) tellReady(parts, envFile, settings, host);
  const files = args.modules.map((module) => path.resolve(context.folder, module));
  const watching = watchSources(files, () => {
    context.stderr.write(labelled(context.stderr, "ok", "a module has changed"));
    void host?.reload();
  });
  try {
    const why = await Promise.race([stop.asked, emulator.lost]);
    if (typeof why === "string") throw new Error(`the embedded servers have ended: ${why}`);
  } finally {
    watching.close();
    await host?.stop();
  }
}

/** The environment's settings with the embedded servers in place of its own. */
function devSettings({ context, args, state, emulator }: Parts): Settings {
  const set = (value: string) => ({ flag: "perago dev", value });
  const read = readSettings(context, {
    overrides: {
      CONDUCTOR_SERVER_URL: set(emulator.conductor.url),
      CONDUCTOR_AUTH_KEY: set(""),
      CONDUCTOR_AUTH_SECRET: set(""),
      LAKECTL_SERVER_ENDPOINT_URL: set(emulator.lakefs.url),
      LAKECTL_CREDENTIALS_ACCESS_KEY_ID: set(emulator.lakefs.accessKeyId),
      LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: set(emulator.lakefs.secretAccessKey),
      PERAGO_WORKSPACE_ROOT: set(state.workspaces),
      PERAGO_LOG_ROOT: set(state.logs),
      PERAGO_CACHE_ROOT: set(state.cache),
    },
    flags: args.jobs === undefined ? {} : { jobs: args.jobs },
    needs: { conductor: true, lakefs: true },
  });
  if (!read.ok) throw settingsRefused(read.findings);
  for (const warning of read.warnings) context.stderr.write(findingLines(context.stderr, warning));
  return read.settings;
}

async function ensureRepository({ environment }: CommandContext, { lakefs }: RunningEmulator): Promise<void> {
  const proxyVariable = findProxyVariable(environment);
  const client = new LakefsClient({
    endpoint: lakefs.url,
    accessKeyId: lakefs.accessKeyId,
    secretAccessKey: lakefs.secretAccessKey,
    ...(proxyVariable === undefined ? {} : { proxyVariable }),
  });
  try {
    await client.getRepository(REPOSITORY);
  } catch (error) {
    if (!(error instanceof LakefsError) || error.status !== 404) throw error;
    const { blockstoreType } = await client.getConfig();
    const storageNamespace = `${blockstoreType}://${REPOSITORY}`;
    await client.createRepository({ name: REPOSITORY, storageNamespace, defaultBranch: BRANCH });
  } finally {
    await client.close();
  }
}

function tellServers({ context, emulator, state }: Parts, envFile: string): void {
  const { stdout, folder } = context;
  const { url, accessKeyId, secretAccessKey } = emulator.lakefs;
  const rows = [
    ["lakeFS", `${url}  key ${accessKeyId}  secret ${secretAccessKey}`],
    ["Conductor", emulator.conductor.url],
    ["repository", `${REPOSITORY}, branch ${BRANCH}`],
    ["state", shownPath(folder, state.root)],
    ["settings", `${shownPath(folder, envFile)}, for --dotenv of the other commands`],
  ] as const;
  for (const [name, value] of rows) stdout.write(`${stdout.paint("name", name.padEnd(10))}  ${oneLine(value)}\n`);
}

function tellReady(
  { context, emulator, state }: Parts,
  envFile: string,
  settings: Settings,
  host: DevHost | undefined,
): void {
  const tasks = (host?.tasks() ?? []).map(({ name }) => ({ name, slots: slotsOf(settings, name) }));
  const { lakefs, conductor } = emulator;
  const servers = { lakefs, conductor, repository: REPOSITORY, branch: BRANCH };
  const ready = { event: "ready", pid: process.pid, ...servers, state: state.root, settings: envFile, tasks };
  context.stdout.write(`${JSON.stringify(ready)}\n`);
}
