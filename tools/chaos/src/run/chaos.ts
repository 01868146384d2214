import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { withInstance, type StackInstance } from "@perago/tools-stack";
import { describeModules, openConductor, readVariables, registerTaskDefs, systemClock } from "@perago/worker";
import type { History } from "../audit/history.ts";
import { createTally, type TallyRead } from "../report/tally.ts";
import { mountDisk } from "./disk.ts";
import { openEngine } from "./engine.ts";
import { createHost, type ChaosHost } from "./host.ts";
import { openLake } from "./lake.ts";
import type { ChaosOptions } from "./options.ts";
import { play } from "./play.ts";
import { Recorder } from "./recorder.ts";
import type { Scene } from "./scene.ts";
import { createServers } from "./servers.ts";
import { onHostMessage } from "./stops.ts";
import { MAX_STEPS, workflowName } from "./workflow.ts";

const MODULE = join(import.meta.dirname, "../../tasks/step.ts");
const RESTART_MS = 1000;

/** What a run left. */
export interface ChaosResult {
  readonly history: History;
  readonly tally: TallyRead;
  readonly durationMs: number;
}

/** Runs the whole of it on servers of its own, which it stops whatever happens. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const beganMs = performance.now();
  const { say, signal, stackName: name } = options;
  const request = { name, environment: readVariables(tmpdir()), signal, say };
  const result = await withInstance(request, (stack) => runOn(stack, options));
  return { ...result, durationMs: performance.now() - beganMs };
}

async function runOn(stack: StackInstance, options: ChaosOptions): Promise<Omit<ChaosResult, "durationMs">> {
  const { say } = options;
  const folder = await mkdtemp(join(tmpdir(), "perago-chaos-"));
  let isDone = false;
  const closing: (() => Promise<void>)[] = [
    // Logs of a run that failed are kept.
    async () => (isDone ? rm(folder, { recursive: true, force: true }) : say(`logs are kept in ${folder}`)),
  ];
  try {
    const { scene, tallied } = await setTheScene(options, { stack, folder, closing });
    const history = await play(options, scene, folder);
    isDone = !options.keepsLogs;
    return { history, tally: tallied() };
  } finally {
    for (const close of closing.toReversed()) await close().catch((error: unknown) => say(String(error)));
  }
}

interface Stage {
  readonly stack: StackInstance;
  readonly folder: string;
  readonly closing: (() => Promise<void>)[];
}

async function setTheScene(options: ChaosOptions, { stack, folder, closing }: Stage) {
  const { say } = options;
  const run = randomBytes(4).toString("hex");
  const environment = { ...stack.environment, CHAOS_RUN: run, ...hardFenceSetting(options.fence) };
  const setting = (name: string): string => stack.environment[name] ?? "";
  const lake = openLake({
    endpoint: setting("LAKECTL_SERVER_ENDPOINT_URL"),
    accessKeyId: setting("LAKECTL_CREDENTIALS_ACCESS_KEY_ID"),
    secretAccessKey: setting("LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY"),
  });
  closing.push(() => lake.close());
  const tally = createTally();
  const hosts: ChaosHost[] = [];
  const scene: Scene = {
    fence: options.fence,
    engine: openEngine(setting("CONDUCTOR_SERVER_URL")),
    lake,
    servers: createServers(stack, (server, lastedMs) => tally.outage(server, lastedMs)),
    hosts,
    recorder: new Recorder(),
    tally,
    workflows: new Map(),
    seen: { commits: [], completions: new Map(), asked: [], foreignBranches: [], unended: [] },
    say,
    signal: options.signal,
    keepsUp: true,
  };
  await registerTasks(scene, setting("CONDUCTOR_SERVER_URL"), environment);
  closing.push(async () => {
    scene.keepsUp = false;
    for (const host of hosts) {
      await host.current()?.stop();
      host.closeProxies();
      await host.disk?.unmount();
    }
  });
  for (let index = 1; index <= options.hosts; index += 1) {
    const home = join(folder, `h${index}`);
    const workspaceRoot = join(home, "workspaces");
    const disk = await mountDisk(workspaceRoot, say);
    const host = await createHost({
      name: `h${index}`,
      home,
      workspaceRoot,
      disk,
      environment,
      slotCount: options.slots,
      ...(options.breakage === undefined ? {} : { breakage: options.breakage }),
      onMessage: (message, from, running) => onHostMessage(scene, message, from, running),
      onEnd(ended, running, how) {
        scene.recorder.died(running.workerIdPrefix);
        tally.hostEnd(how);
        void keepUp(scene, ended);
      },
    });
    hosts.push(host);
    await host.start();
  }
  return { scene, tallied: () => tally.read() };
}

function hardFenceSetting(fence: History["fence"]): Readonly<Record<string, string>> {
  return { PERAGO_HARD_FENCE: fence === "hard" ? "required" : "off" };
}

async function registerTasks(scene: Scene, serverUrl: string, environment: Readonly<Record<string, string>>) {
  // The task's name comes from the environment of whoever loads it.
  const described = await describeModules([MODULE], {
    clock: systemClock,
    environment: { ...readVariables(tmpdir()), ...environment },
  });
  const [task] = described.tasks;
  if (task === undefined) throw new Error(described.findings.map(({ message }) => message).join("; "));
  const conductor = await openConductor({ serverUrl }, () => systemClock.nowMs());
  await registerTaskDefs(conductor, [{ ...task.taskDef }]);
  await conductor.close();
  await scene.engine.registerWorkflows(task.name, workflowName, MAX_STEPS);
}

/** Starts a host again that has ended, as often as it takes: a server may be away. */
async function keepUp(scene: Scene, host: ChaosHost): Promise<void> {
  while (scene.keepsUp) {
    try {
      await scene.servers.allUp();
      await host.start();
      return;
    } catch (error) {
      scene.say(`${host.name} is started again: ${error instanceof Error ? error.message : String(error)}`);
      await pause(RESTART_MS);
    }
  }
}
