import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Emulator } from "@perago/emulator";
import type { Commit } from "@perago/lakefs-sync";
import { z } from "zod";
import type { Engine, EngineTask } from "./engine.ts";
import { short, type Refusal } from "./history.ts";
import { reference } from "./processes.ts";
import type { Target } from "./target.ts";
import { DemoError, until } from "./until.ts";

/** One thing that the demo does, told when it is done. */
export interface Act {
  readonly title: string;
  readonly text: string;
  readonly elapsedMs: number;
}

/** What happened, as data. */
export interface Story {
  readonly repository: string;
  readonly branch: string;
  readonly startHead: string;
  readonly acts: readonly Act[];
  readonly refusals: readonly Refusal[];
  /** First parents of the target, newest first. */
  readonly commits: readonly Commit[];
}

/** With whom the story is played. */
export interface Stage {
  readonly emulator: Emulator;
  readonly engine: Engine;
  readonly target: Target;
  readonly signal: AbortSignal;
  /** Told after each act. */
  readonly onAct: (act: Act) => void;
}

const BUILD = "build";
const ALL_REQUESTS = 1_000_000;
/** How long the foreign merge has, while the attempt waits for its staging branch. */
const HOLD_MS = 1_500;
/** Past `controls.timeout.responseSeconds` of features.build. */
const RESPONSE_TIMEOUT_MS = 121_000;
/** Past its `controls.retry.delaySeconds`. */
const RETRY_DELAY_MS = 6_000;

/** Plays the four acts. Throws DemoError where one does not end as it must. */
export async function playStory(stage: Stage): Promise<Story> {
  const { target, onAct } = stage;
  const startHead = await target.head();
  const acts: Act[] = [];
  const refusals: Refusal[] = [];
  const act = async (title: string, play: () => Promise<string>): Promise<void> => {
    const startMs = performance.now();
    const text = await play();
    const done = { title, text, elapsedMs: Math.round(performance.now() - startMs) };
    acts.push(done);
    onAct(done);
  };
  await act("The workflow runs, and publishes", () => publish(stage, "basic-1"));
  await act("A report is lost; the retry supersedes", () => supersede(stage));
  await act("Somebody else's commit refuses an attempt", async () => {
    const { refusal, text } = await refuse(stage);
    refusals.push(refusal);
    return text;
  });
  await act("The way out: a new workflow from the head", () => publish(stage, "basic-4"));
  const { repository, branch } = target;
  return { repository, branch, startHead, acts, refusals, commits: await target.log() };
}

async function publish(stage: Stage, featureSet: string): Promise<string> {
  const from = await stage.target.head();
  const workflowId = await startWorkflow(stage, featureSet, from);
  await stage.engine.untilCompleted(workflowId);
  const head = await movedHead(stage, from);
  return [
    `workflow ${short(workflowId)} started from ${short(from)};`,
    `features.build published ${short(head)}, and catalog.report read that commit`,
  ].join(" ");
}

/** The first attempt publishes, but its result never reaches Conductor, which times it out and retries (rule P2). */
async function supersede(stage: Stage): Promise<string> {
  const { emulator, engine } = stage;
  const from = await stage.target.head();
  // The first result is that of metadata.validate; every one after it is lost.
  const lost = { server: "conductor", method: "POST", path: /^\/api\/tasks$/, nth: 2, times: ALL_REQUESTS } as const;
  const fault = emulator.faults.add({ ...lost, kind: "drop-request" });
  const workflowId = await startWorkflow(stage, "basic-2", from);
  const first = await movedHead(stage, from);
  await until("a report is lost", stage.signal, () => (fault.hits > 0 ? true : undefined));
  emulator.clock.advance(RESPONSE_TIMEOUT_MS);
  await engine.untilAttempt(workflowId, BUILD, 0, ["TIMED_OUT"]);
  fault.remove();
  emulator.clock.advance(RETRY_DELAY_MS);
  await engine.untilCompleted(workflowId);
  const second = await movedHead(stage, first);
  return [
    `attempt 0 published ${short(first)}, but its report was lost and Conductor timed it out;`,
    `attempt 1 found only its own step's commit since ${short(from)} and published ${short(second)} over it`,
  ].join(" ");
}

/** Somebody merges while an attempt is about to stage: it publishes nothing (rules P3, P5). */
async function refuse(stage: Stage): Promise<{ readonly refusal: Refusal; readonly text: string }> {
  const { emulator, engine, target } = stage;
  const from = await target.head();
  const theirs = await target.prepareForeign("catalog/notes.txt", "Night Train is a remix.\n", "Add a note on a song");
  const staging = { server: "lakefs", method: "POST", path: /\/repositories\/[^/]+\/branches$/ } as const;
  const held = emulator.faults.add({ ...staging, kind: "delay", when: "before", delayMs: HOLD_MS });
  const workflowId = await startWorkflow(stage, "basic-3", from);
  await until("the attempt is about to stage", stage.signal, () => (held.hits > 0 ? true : undefined));
  const head = await theirs.merge();
  held.remove();
  const refused = await engine.untilAttempt(workflowId, BUILD, 0, ["FAILED", "COMPLETED"]);
  await engine.terminate(workflowId, "the demo waits for no retry: each would be refused alike");
  if (refused.status !== "FAILED" || (await target.head()) !== head) {
    throw new DemoError(`a foreign commit did not refuse the attempt: it is ${refused.status}`);
  }
  const text = [
    `while features.build worked from ${short(from)}, somebody merged ${short(head)};`,
    "the attempt published nothing, and the commit stands",
  ].join(" ");
  return { refusal: refusalOf(refused, workflowId, head), text };
}

function refusalOf(task: EngineTask, workflowId: string, head: string): Refusal {
  const { taskDefName, retryCount, taskId, reasonForIncompletion } = task;
  return { task: taskDefName, retryCount, taskId, workflowId, head, reason: reasonForIncompletion ?? "" };
}

async function startWorkflow({ engine, target }: Stage, featureSet: string, ref: string): Promise<string> {
  const text = await readFile(join(reference.folder, "data/catalog/songs.json"), "utf8");
  const songs = z.array(z.unknown()).parse(JSON.parse(text));
  const { repository, branch } = target;
  return engine.start({ repository, branch, ref, featureSet, songs });
}

function movedHead({ target, signal }: Stage, from: string): Promise<string> {
  return until("the target moves", signal, async () => {
    const head = await target.head();
    return head === from ? undefined : head;
  });
}
