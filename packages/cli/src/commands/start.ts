import type { RunningHost, Settings, TaskDescription } from "@perago/worker";
import type { CommandContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { modulesRefused } from "../extractable.ts";
import { hasErrors } from "../findings.ts";
import { findingLines, labelled, oneLine } from "../output/finding-lines.ts";
import { readModules } from "../read-modules.ts";
import { readSettings, settingsRefused, type SettingsInput } from "../settings.ts";
import { signalExitCode, type Signals } from "../signals.ts";
import { modeFindings, slotFindings, slotsOf } from "../slots.ts";

/** Flags of `perago start` with one value, as typed. */
export interface StartFlags {
  readonly jobs?: string;
  readonly domain?: string;
  readonly dotenv?: string;
  readonly workerIdPrefix?: string;
  readonly workspaceRoot?: string;
  readonly logRoot?: string;
}

/** Arguments of `perago start`. */
export interface StartArguments {
  readonly modules: readonly string[];
  /** `<task>=<n>` each. */
  readonly slots: readonly string[];
  readonly flags: StartFlags;
  readonly json: boolean;
}

/**
 * Runs the tasks until a signal, then finishes what runs: 0. A second signal forces: 130 or 143. Refuses before it
 * polls: wrong settings (2), modules with errors and unregistered TaskDefs (1), a server that is away or refuses (3).
 */
export async function start(context: CommandContext, args: StartArguments, signals: Signals): Promise<number> {
  // Loaded while the modules are described (bench B11).
  const [{ settings, tasks }, { launchHost }] = await Promise.all([
    prepare(context, args),
    import("../launch-host.ts"),
  ]);
  const { environment, folder } = context;
  const host = await launchHost({ settings, tasks, environment }, { folder, modules: args.modules });
  const stopped = untilStopped(context, host, signals);
  tellReady(context, args.json, settings, tasks);
  return await stopped;
}

/** The host says it of the registered TaskDef, which counts (rule A5). */
const SAID_BY_THE_HOST: ReadonlySet<string> = new Set(["body_time_unlimited"]);

interface Prepared {
  readonly settings: Settings;
  readonly tasks: readonly TaskDescription[];
}

/** Modules first: whether lakeFS is needed stands there. Then everything that is wrong is told at once. */
async function prepare(context: CommandContext, args: StartArguments): Promise<Prepared> {
  const { tasks, findings } = await readModules(context, args.modules);
  const lakefs = tasks.some(({ workspace }) => workspace !== undefined);
  const read = readSettings(context, settingsInput(args, lakefs));
  if (!read.ok) throw settingsRefused([...read.findings, ...findings.filter(({ severity }) => severity === "error")]);
  if (hasErrors(findings)) throw modulesRefused(findings);
  const names = tasks.map(({ name }) => name);
  const unfit = [...slotFindings(read.settings, names), ...modeFindings(read.settings, tasks)];
  if (unfit.length > 0) throw settingsRefused(unfit);
  const warnings = [...read.warnings, ...findings.filter(({ code }) => !SAID_BY_THE_HOST.has(code))];
  for (const warning of warnings) context.stderr.write(findingLines(context.stderr, warning));
  return { settings: read.settings, tasks };
}

function settingsInput({ flags, slots }: StartArguments, lakefs: boolean): SettingsInput {
  const named = [
    ["PERAGO_WORKER_ID_PREFIX", "--worker-id-prefix", flags.workerIdPrefix],
    ["PERAGO_WORKSPACE_ROOT", "--workspace-root", flags.workspaceRoot],
    ["PERAGO_LOG_ROOT", "--log-root", flags.logRoot],
  ] as const;
  const given = named.flatMap(([name, flag, value]) => (value === undefined ? [] : [[name, { flag, value }] as const]));
  return {
    ...(flags.dotenv === undefined ? {} : { dotenv: flags.dotenv }),
    overrides: Object.fromEntries(given),
    flags: {
      slots,
      ...(flags.jobs === undefined ? {} : { jobs: flags.jobs }),
      ...(flags.domain === undefined ? {} : { domain: flags.domain }),
    },
    needs: { conductor: true, lakefs },
  };
}

function tellReady(
  { stdout, stderr }: CommandContext,
  json: boolean,
  settings: Settings,
  tasks: readonly TaskDescription[],
): void {
  const workerId = settings.workerIdPrefix;
  const slots = tasks.map(({ name }) => ({ name, slots: slotsOf(settings, name) }));
  if (json) return stdout.write(`${JSON.stringify({ event: "ready", workerId, pid: process.pid, tasks: slots })}\n`);
  const list = slots.map((task) => `${oneLine(task.name)} x${task.slots}`).join(", ");
  stderr.write(labelled(stderr, "ok", `${workerId} polls for ${list}`, ["SIGTERM or SIGINT ends it."]));
}

/** The first signal drains, the second one forces. */
async function untilStopped({ stderr }: CommandContext, host: RunningHost, signals: Signals): Promise<number> {
  let signalCount = 0;
  let exitCode: number = EXIT.ok;
  signals.handle((signal) => {
    signalCount += 1;
    if (signalCount === 1) {
      stderr.write(labelled(stderr, "ok", `${signal}: finishing what runs; a second signal ends it at once`));
      host.drain();
      return;
    }
    exitCode = signalExitCode(signal);
    host.force();
  });
  await host.ended;
  return exitCode;
}
