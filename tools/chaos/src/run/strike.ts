import { setTimeout as pause } from "node:timers/promises";
import type { Deed } from "@perago/tools-fault-proxy";
import type { Meddling, Strike } from "../plan/fault.ts";
import { requestKind, type RequestKind } from "../plan/requests.ts";
import type { HostProcess } from "./host-process.ts";
import { killInBody } from "./kill-in-body.ts";
import type { Place } from "./place.ts";
import type { ServerName, Trap } from "./host.ts";
import { within } from "./until.ts";

const LATE_MS = 9_000;
const STALL_LIMIT_MS = 25_000;
const TIME_OUT_LIMIT_MS = 15_000;
const REDELIVERY_LIMIT_MS = 15_000;
const REDELIVERY_LOOK_MS = 2_000;
const POLL_TRAP_MS = 20_000;
const FULL_DISK_MS = 4_000;
const HTML = "<html><body>504 Gateway Time-out</body></html>";

/** What is to become of the execution that waits, and what goes on beside it. */
export interface Struck {
  readonly goOn: boolean;
  /** False where the machine does not allow it, or where what was to be met on the way never came. */
  readonly happened: boolean | Promise<boolean>;
}

const AND_GO: Struck = { goOn: true, happened: true };

/** Lets it happen. The execution waits meanwhile. */
export async function perform(strike: Strike, place: Place): Promise<Struck> {
  const { scene, host, process: running, workflow } = place;
  switch (strike.do) {
    case "kill_host":
      running.signal("SIGKILL");
      return { goOn: false, happened: true };
    case "kill_host_at":
      return set(place, strike.request, () => killAtAnswer(running));
    case "kill_executor":
    case "kill_host_in_body":
      return { goOn: true, happened: killInBody(strike.do, place) };
    case "kill_server":
      await scene.servers.outage(strike.server, strike.downMs);
      return AND_GO;
    case "stall":
      return stall(strike.until, place);
    case "meddle":
      if (strike.request === "merge") noteCopies(strike.how, place);
      return set(place, strike.request, () => deedOf(strike.how, place), strike.times);
    case "lose_merge": {
      const { happened } = set(place, "merge", () => ({ kind: "drop_answer" }));
      // Pin and check are over: what reads the branch from here on is the look at its history.
      const read = set(place, "read_branch", () => deedOf(strike.how, place), strike.times);
      return { goOn: true, happened: Promise.all([happened, read.happened]).then((both) => both.every(Boolean)) };
    }
    case "fill_disk":
      return fillDisk(place);
    case "foreign_commit":
      return commitForeign(strike.where, place);
    case "redeliver":
      return redeliver(place);
    case "terminate":
      await scene.engine.terminate(workflow.workflowId);
      return AND_GO;
    case "cut_off":
      host.cutOff(strike.servers === "both" ? ["lakefs", "conductor"] : [strike.servers]);
      void pause(strike.ms).then(() => host.cutOff([] satisfies ServerName[]));
      return AND_GO;
    case "drain":
      running.signal("SIGTERM");
      return AND_GO;
  }
}

function executionsOf({ scene, stop }: Place) {
  const { workflowId, referenceTaskName } = stop.execution;
  return scene.recorder.ofStep(workflowId, referenceTaskName);
}

/** Until another slot has taken the delivery too: an engine that is asked once may keep it for itself. */
async function redeliver(place: Place): Promise<Struck> {
  const { scene, stop } = place;
  const { workflowId, taskId } = stop.execution;
  const before = executionsOf(place).length;
  const isTaken = async (): Promise<boolean> => {
    if (executionsOf(place).length > before) return true;
    await scene.engine.handOutAgain(workflowId, taskId);
    return within(REDELIVERY_LOOK_MS, () => executionsOf(place).length > before);
  };
  return { goOn: true, happened: await within(REDELIVERY_LIMIT_MS, isTaken) };
}

/** Another execution of the step has published since. */
function hasSuccessor(place: Place): boolean {
  const own = place.stop.execution.executionId;
  const all = executionsOf(place);
  return all.slice(all.findIndex(({ name }) => name.executionId === own) + 1).some(({ merged }) => merged.length > 0);
}

/** A trap for the next requests of a kind that belong to this execution; it is taken away when the execution ends. */
function set({ scene, host, workflow, stop }: Place, request: RequestKind, deed: () => Deed, times = 1): Struck {
  const { taskId, executionId } = stop.execution;
  const { branch } = workflow;
  const untied: readonly RequestKind[] = ["poll", "download", "read_log"];
  const { promise: happened, resolve } = Promise.withResolvers<boolean>();
  const trap: Trap = {
    times,
    deed() {
      resolve(true);
      return deed();
    },
    matches(seen) {
      if (requestKind(seen) !== request) return false;
      if (untied.includes(request)) return true;
      return [taskId, `/merge/${branch}`, `prefix=${branch}&`].some((text) =>
        `${seen.path}${seen.query} ${seen.body}`.includes(text),
      );
    },
  };
  const remove = host.trap(trap);
  const giveUp = (): void => {
    remove();
    resolve(false);
  };
  // The host polls when it has a free slot: perhaps only after this execution.
  if (request === "poll") void pause(POLL_TRAP_MS).then(giveUp);
  else scene.recorder.onEnd(executionId, giveUp);
  return { goOn: true, happened };
}

function killAtAnswer(running: HostProcess): Deed {
  return {
    kind: "delay_answer",
    until: async () => {
      running.signal("SIGKILL");
      await running.ended;
    },
  };
}

/** SIGSTOP until the engine has given the attempt up (by forced decisions), or until the next one has published. */
async function stall(until: "timed_out" | "published", place: Place): Promise<Struck> {
  const { scene, process: running, workflow, stop } = place;
  running.signal("SIGSTOP");
  const isGivenUp = async (): Promise<boolean> => {
    try {
      const { tasks } = await scene.engine.workflow(workflow.workflowId);
      const task = tasks.find(({ taskId }) => taskId === stop.execution.taskId);
      return task === undefined || task.status !== "IN_PROGRESS";
    } catch {
      return false;
    }
  };
  const happened = await within(TIME_OUT_LIMIT_MS, isGivenUp, 400);
  if (until === "published" && happened) await within(STALL_LIMIT_MS - TIME_OUT_LIMIT_MS, () => hasSuccessor(place));
  running.signal("SIGCONT");
  return { goOn: true, happened };
}

async function fillDisk({ scene, host, stop }: Place): Promise<Struck> {
  const { disk } = host;
  if (disk === undefined) return { goOn: true, happened: false };
  await disk.fill();
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  scene.recorder.onEnd(stop.execution.executionId, resolve);
  void Promise.race([ended, pause(FULL_DISK_MS)]).then(() => disk.empty());
  return AND_GO;
}

async function commitForeign(where: "inside" | "outside", { scene, workflow }: Place): Promise<Struck> {
  const { repository, branch } = workflow;
  const made = await scene.lake.commitForeign(repository, branch, where);
  scene.seen.commits.push({ repository, branch, commit: made.commit });
  scene.seen.foreignBranches.push({ repository, name: made.branch });
  return AND_GO;
}

/** A request that is repeated or held back may be performed after the execution has decided how to end. */
function noteCopies(how: Meddling, { scene, stop }: Place): void {
  const recorded = scene.recorder.get(stop.execution.executionId);
  if (recorded !== undefined && how === "late") recorded.mergeOnItsWay = true;
}

function deedOf(how: Meddling, place: Place): Deed {
  if (how === "late") {
    return { kind: "delay_request", until: async () => within(LATE_MS, () => hasSuccessor(place)) };
  }
  if (how === "repeat") return { kind: "repeat_request" };
  if (how === "cut_answer") return { kind: "cut_answer", afterBytes: 7 };
  if (how === "html") return { kind: "replace_answer", status: 200, body: HTML };
  if (typeof how === "string") return { kind: how };
  const body = JSON.stringify({ message: "a proxy says so" });
  return "heard" in how
    ? { kind: "replace_answer", status: how.heard, body }
    : { kind: "answer", status: how.answered, body };
}
