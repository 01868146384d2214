import type { AttemptSource, Report } from "../../src/attempt/ports/attempt-source.ts";
import { ConductorError } from "../../src/conductor/errors.ts";
import type { LeaseServer } from "../../src/conductor/lease.ts";
import { isCurrent } from "../explore/scene.ts";
import { readOf, taskOf, writeBack, type Task } from "../model/engine.ts";
import { WORKFLOW } from "../explore/context.ts";
import { watchLease } from "./engine-loop.ts";
import { unavailable } from "./lakefs-port.ts";
import type { Network } from "./network.ts";
import type { Run, SimWorld } from "./world.ts";

const readTimeoutMs = 15_000;

/** One execution's view of the engine. */
export function sourceOf(world: SimWorld, run: Run, network: Network): AttemptSource {
  return {
    read: async (taskId) => {
      const answer = await network.carry({
        kind: "read",
        name: `read for ${run.phase}`,
        effect: () => ({ task: taskOf(world.engine, taskId), read: readOf(world.engine, taskId, WORKFLOW) }),
        noAnswer: unavailable,
        timeoutMs: readTimeoutMs,
      });
      remember(run, answer.task);
      return answer.read;
    },
    report: (report, timeoutMs) => {
      // What rule R8 read before this very request, however late it arrives.
      const { seen } = run;
      return network.carry({
        kind: "report",
        name: "report",
        effect: () => world.take(reportOf(report), run, seen),
        noAnswer: unavailable,
        timeoutMs,
      });
    },
  };
}

/** What each read showed is remembered where a check needs it; a read that was given up has shown nothing. */
function remember(run: Run, task: Task): void {
  if (run.phase === "recheckAttempt") run.wasStale = !isCurrent(run.task, task);
  if (run.phase === "readForReport") run.seen = task;
  if (run.phase === "readBack") run.readBack = task;
}

function reportOf({ taskId, status, outputJson }: Report): { taskId: string; status: string; ref: string } {
  return { taskId, status, ref: /"ref":"([0-9a-f]{64})"/.exec(outputJson ?? "")?.[1] ?? "" };
}

/** What the lease needs of the engine: a heartbeat reads the whole task and writes it back (fault C7). */
export function leaseServerOf(world: SimWorld, run: Run, network: Network): LeaseServer {
  return {
    heartbeat: (held, timeoutMs) => heartbeat(world, run, network, held.taskId, timeoutMs),
    read: (taskId, timeoutMs) =>
      network.carry({
        kind: "read",
        name: "watch",
        effect: () => readOf(world.engine, taskId, WORKFLOW),
        noAnswer: noAnswerOfEngine,
        timeoutMs,
      }),
  };
}

async function heartbeat(
  world: SimWorld,
  run: Run,
  network: Network,
  taskId: string,
  timeoutMs: number,
): Promise<void> {
  const beat: Beat = { isGivenUp: false };
  try {
    await network.carry({
      kind: "heartbeat",
      name: "heartbeat",
      begin: () => {
        const task = taskOf(world.engine, taskId);
        if (task.status === "IN_PROGRESS") beat.snapshot = task;
      },
      takesMs: writeDelayMs(world, run),
      effect: () => written(world, run, beat),
      noAnswer: noAnswerOfEngine,
      timeoutMs,
    });
  } catch (error) {
    beat.isGivenUp = true;
    throw error;
  }
}

/** How long the engine itself takes between reading the task and writing it back: nearly always no time at all. */
function writeDelayMs({ fates, scheduler }: SimWorld, { name }: Run): number {
  const { trouble, longMs } = fates.of("heartbeat", `${name} write-back at ${scheduler.nowMs}`);
  return trouble === "none" ? 0 : Math.min(longMs, 8000);
}

interface Beat {
  snapshot?: Task;
  isGivenUp: boolean;
}

function written(world: SimWorld, run: Run, beat: Beat): void {
  const { snapshot } = beat;
  if (snapshot === undefined) return;
  const now = taskOf(world.engine, snapshot.id);
  const isBack = now !== snapshot && now.status !== "GONE";
  world.engine = writeBack(world.engine, snapshot);
  watchLease(world, snapshot);
  if (!isBack) return;
  world.tell(`${run.name}: a heartbeat is written over ${now.status} of delivery ${now.scheduledTime}`);
  // Rule R4 is what keeps an execution's own heartbeat behind its result: that is not the engine's fault.
  if (run.leaseStopped && !beat.isGivenUp && !run.isDead) return;
  world.rewound = true;
  world.giveUpOutputs();
}

function noAnswerOfEngine(mayHaveLanded: boolean): ConductorError {
  const code = mayHaveLanded ? "conductor_no_answer" : "conductor_unreachable";
  return new ConductorError({ code, message: "no answer", hint: "", retryable: true, mayHaveLanded });
}
