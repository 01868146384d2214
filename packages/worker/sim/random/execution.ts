import { logicalTaskKey } from "@perago/fence";
import { driveAttempt } from "../../src/attempt/driver.ts";
import type { AttemptFacts } from "../../src/attempt/machine/facts.ts";
import type { Done, Signal } from "../../src/attempt/machine/state.ts";
import type { Machine } from "../../src/attempt/machine/step.ts";
import type { PhaseName } from "../../src/attempt/machine/order.ts";
import type { Observer } from "../../src/attempt/ports/observer.ts";
import { createLease, type StartedLease } from "../../src/conductor/lease.ts";
import { leaseTimes } from "../../src/conductor/lease-times.ts";
import { NAMES, type Wiring } from "../explore/context.ts";
import { DECIDING, s10Accepted, s1Walked } from "../invariants/attempt.ts";
import { PREFIX } from "../model/trees.ts";
import type { Task } from "../model/engine.ts";
import { leaseServerOf, sourceOf } from "./engine-port.ts";
import { clockOf, executorOf, workspaceOf } from "./local-ports.ts";
import { storeOf } from "./lakefs-port.ts";
import { Network } from "./network.ts";
import type { Run, SimWorld } from "./world.ts";

/** What an execution runs: the production machine and wiring, or a mutant. */
export interface Build {
  readonly machine?: Machine;
  readonly wiring?: Wiring;
}

const heartbeatIntervalSeconds = 10;
const fencePhases: ReadonlySet<PhaseName> = new Set(["fenceEarly", "fenceBase", "pinHead"]);

/** A new execution of a task that was handed out. */
export function createRun(world: SimWorld, task: Task): Run {
  const index = world.runs.length;
  const run: Run = {
    index,
    name: `x${index}`,
    task,
    logicalTaskKey: logicalTaskKey(namesOf(task)),
    folder: new Map(),
    phase: undefined,
    wasStale: false,
    stagingCommit: -1,
    headAtDecision: world.head,
    judgedHead: world.head,
    mayLand: false,
    copied: false,
    isDead: false,
    stalledUntilMs: 0,
    cleanupFailed: false,
    leaseStopped: false,
    end: "",
  };
  world.runs.push(run);
  world.tell(`${run.name}: ${task.id} of step ${task.step}, delivery ${task.scheduledTime}, poll ${task.pollCount}`);
  return run;
}

/** Runs one execution with the production driver and the production lease. */
export async function runExecution(world: SimWorld, run: Run, build: Build): Promise<void> {
  const network = new Network(world, run);
  const clock = clockOf(world, run, network);
  const facts = factsOf(world, run);
  const told: { listener?: (signal: Signal) => void } = {};
  const lease = createLease({
    held: facts.polled,
    pollSentAtMs: facts.polled.pollSentAtMs,
    times: leaseTimes({ responseTimeoutSeconds: facts.polled.responseTimeoutSeconds, heartbeatIntervalSeconds }),
    server: leaseServerOf(world, run, network),
    clock,
    events: {
      onLost: (reason) => told.listener?.({ kind: "attempt_lost", reason }),
      onTrouble: () => undefined,
    },
  });
  await lease.start();
  const done = await driveAttempt({
    facts,
    ports: {
      store: storeOf(world, run, network, build.wiring ?? {}),
      workspace: workspaceOf(world, run, network),
      source: sourceOf(world, run, network),
      executor: executorOf(world, run, network),
      lease: watched(lease, run, build.wiring),
      clock,
      observer: observerOf(world, run),
    },
    cancelGraceMs: 5000,
    subscribe: (listener) => {
      told.listener = listener;
      return () => {
        delete told.listener;
      };
    },
    ...(build.machine === undefined ? {} : { machine: build.machine }),
  });
  finish(world, run, done);
}

function watched(lease: StartedLease, run: Run, wiring: Wiring = {}): StartedLease {
  return {
    start: () => lease.start(),
    deadlineMs: () => lease.deadlineMs(),
    extend: () => lease.extend(),
    stop: async () => {
      const stopped = lease.stop();
      if (wiring.heartbeatNotAwaited !== true) await stopped;
      run.leaseStopped = true;
      return wiring.heartbeatNotAwaited === true ? { unanswered: false } : await stopped;
    },
  };
}

/** Rule P10's note must come with the fence that walked over a lost race. */
function observerOf(world: SimWorld, run: Run): Observer {
  let noteNames: string[] = [];
  let isJudged = false;
  return {
    note: ({ name, message }) => {
      noteNames.push(name);
      world.tell(`${run.name}: ${name}: ${message}`);
    },
    asking: (phase) => {
      if (isJudged) {
        const refused = phase === "stopLease" || phase === "readHistory";
        const commits = world.repository.range(run.judgedHead, run.task.input, Infinity);
        world.check([s1Walked], { commits, inputRef: run.task.input, refused, noteNames });
      }
      // A history that was read is what its reader decides on, whatever has landed since.
      if (phase === "stopLease" && run.phase !== "readHistory") run.headAtDecision = world.head;
      run.phase = phase;
      noteNames = [];
      isJudged = false;
    },
    phase: (phase, _, refusedWith) => {
      // Rule X2: a history that could not be read says nothing about the merge.
      if (phase === "readHistory" && refusedWith !== undefined) run.mayLand = true;
      isJudged = fencePhases.has(phase) && refusedWith === undefined;
    },
    unforeseen: (phase, error) => {
      throw new Error(`${phase} failed in a way that was not foreseen`, { cause: error });
    },
  };
}

function finish(world: SimWorld, run: Run, { outcome, reported }: Done): void {
  const { repository } = world;
  run.end = outcome.kind === "failed" ? outcome.failure.code : outcome.kind;
  world.codes.push(run.end);
  world.tell(`${run.name}: ends ${run.end}, result ${reported}`);
  world.check(DECIDING, {
    repository,
    head: run.headAtDecision,
    stagingCommitId: run.stagingCommit < 0 ? undefined : repository.commit(run.stagingCommit).id,
    outcome: run.end,
    by: outcome.kind === "completed" ? outcome.by : undefined,
    ref: outcome.kind === "completed" ? outcome.ref : undefined,
  });
  if (reported !== "accepted") return;
  const seen = run.readBack;
  const status = outcome.kind === "completed" ? "COMPLETED" : (seen?.status.replace("COMPLETED", "?") ?? "?");
  world.check([s10Accepted], { status, held: run.task, task: seen });
}

function namesOf({ step }: Task): typeof NAMES {
  return { ...NAMES, referenceTaskName: `step${step}` };
}

function factsOf(world: SimWorld, run: Run): AttemptFacts {
  const { nowMs } = world.scheduler;
  const { id, retryCount, scheduledTime, pollCount, workerId, retried, input } = run.task;
  const workspace = { repository: "repo", branch: "main", refType: "commit", ref: input };
  return {
    polled: {
      ...namesOf(run.task),
      taskId: id,
      retryCount,
      scheduledTime,
      pollCount,
      workerId,
      ...(retried === "" ? {} : { retriedTaskId: retried }),
      inputData: { workspace, params: {} },
      responseTimeoutSeconds: world.scenario.responseTimeoutSeconds,
      pollSentAtMs: nowMs,
      receivedAtMs: nowMs,
    },
    workspace: { prefix: PREFIX, readOnly: false, hasPostGuardrails: false },
    logicalTaskKey: run.logicalTaskKey,
    executionId: run.name,
    workerId: `${workerId}0001`,
    writer: "ts/0.0.0",
    bodyTimeoutMs: 0,
    hardFence: world.scenario.mode,
    mergeTimeoutMs: 20_000,
    reportTimeoutMs: 15_000,
    outputLimitBytes: 3_000_000,
    reasonMaxLength: 500,
  };
}
