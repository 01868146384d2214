import type { Clock } from "../../src/attempt/ports/clock.ts";
import type { BodyOutcome, Executor } from "../../src/attempt/ports/executor.ts";
import type { Workspace } from "../../src/attempt/ports/workspace.ts";
import { AttemptError } from "../../src/failure.ts";
import { PREFIX, projectionOf, treeText, withProjection, type Tree } from "../model/trees.ts";
import { diceOf } from "./dice.ts";
import { unavailable } from "./lakefs-port.ts";
import type { Network } from "./network.ts";
import type { Run, SimWorld } from "./world.ts";

const transferTimeoutMs = 600_000;

/** The clock of one execution's process: it waits no shorter than the process stands still. */
export function clockOf(world: SimWorld, run: Run, network: Network): Clock {
  const { scheduler } = world;
  return {
    nowMs: () => scheduler.nowMs,
    wait: (delayMs, signal) =>
      new Promise((resolve) => {
        const done = (): void => void network.standStill().then(resolve);
        if (signal?.aborted === true) return done();
        signal?.addEventListener("abort", done, { once: true });
        if (delayMs < Infinity) scheduler.after(delayMs, done);
      }),
  };
}

/** The folder of one execution, in memory. */
export function workspaceOf(world: SimWorld, run: Run, network: Network): Workspace {
  const { repository } = world;
  const shown = (id: string): Tree => projectionOf(repository.byId(id).tree);
  const isFolder = (id: string): boolean => treeText(shown(id)) === treeText(new Map(run.folder));
  const carry = <T>(name: string, effect: () => T): Promise<T> =>
    network.carry({ kind: "write", name, effect, noAnswer: unavailable, timeoutMs: transferTimeoutMs });
  return {
    syncIn: ({ commitId }) =>
      carry("sync in", () => {
        for (const [key, content] of shown(commitId)) run.folder.set(key, content);
        return { path: "/sim", fileCount: run.folder.size };
      }),
    checkPre: () => Promise.resolve([]),
    project: () => {
      const unchanged = isFolder(run.task.input);
      return Promise.resolve({ unchanged, fileCount: run.folder.size, uploadCount: 1, deleteCount: 0, violations: [] });
    },
    equalsCommit: (id) => carry("compare", () => isFolder(id)),
    stage: ({ branch }) =>
      carry("stage", () => {
        const staging = world.branches.get(branch);
        if (staging === undefined) throw unavailable(false);
        staging.tree = withProjection(staging.tree, run.folder);
        return { uploadCount: 1, deleteCount: 0 };
      }),
    verifyStaging: ({ base, stagingCommit }) =>
      carry("verify", () => {
        const planned = withProjection(repository.byId(base).tree, run.folder);
        if (treeText(planned) === treeText(repository.byId(stagingCommit).tree)) return;
        throw new AttemptError({ code: "workspace_unstageable", message: "not the plan", hint: "" });
      }),
    remove: () => Promise.resolve(),
  };
}

const returned: BodyOutcome = { kind: "returned", resultJson: "1", sizeBytes: 1 };

/** The body of one execution: it takes a while, changes its folder, and sometimes fails. */
export function executorOf(world: SimWorld, run: Run, network: Network): Executor {
  const { scenario, scheduler, fates } = world;
  const dice = diceOf(scenario.seed, `${run.name} body`);
  const state: { cancel?: () => void } = {};
  return {
    validate: () => Promise.resolve({ ok: true }),
    run: () =>
      new Promise<BodyOutcome>((resolve) => {
        const done = (outcome: BodyOutcome): void => void network.standStill().then(() => resolve(outcome));
        state.cancel = () => done({ kind: "lost", message: "cancelled" });
        scheduler.after(dice.between(10, 20_000), () => {
          changeFolder(world, run);
          const fails = dice.chance(scenario.faultRate) && fates.allows(`${run.name} body fails`);
          done(fails ? { kind: "failed", message: "by chance" } : returned);
        });
      }),
    cancel: () => state.cancel?.(),
    seal: () => Promise.resolve(),
    release: () => Promise.resolve(),
  };
}

/** What a step does is the same for each of its executions, own, or nothing at all. */
function changeFolder({ scenario }: SimWorld, run: Run): void {
  const kind = diceOf(scenario.seed, `step ${run.task.step}`).pick([
    "own",
    "own",
    "same",
    "nothing",
    "either",
  ] as const);
  const now = kind === "either" ? diceOf(scenario.seed, `${run.name} change`).pick(["own", "nothing"] as const) : kind;
  if (now === "own") run.folder.set(`${PREFIX}${run.name}`, "1");
  if (now === "same") run.folder.set(`${PREFIX}step${run.task.step}`, "1");
}
