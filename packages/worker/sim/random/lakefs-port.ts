import type { MergeOutcome, MergeRequest, TargetStore } from "../../src/attempt/ports/target-store.ts";
import { AttemptError } from "../../src/failure.ts";
import { broken, s5Stale } from "../invariants/attempt.ts";
import { ACTION, hardFenceOf } from "../model/trees.ts";
import type { Wiring } from "../explore/context.ts";
import type { Carried, Network } from "./network.ts";
import type { RequestKind } from "./fate.ts";
import type { Run, SimWorld } from "./world.ts";

const requestTimeoutMs = 30_000;

/** One execution's view of lakeFS. */
export function storeOf(world: SimWorld, run: Run, network: Network, wiring: Wiring): TargetStore {
  const { repository } = world;
  const ask = <T>(kind: RequestKind, name: string, effect: () => T): Promise<T> =>
    network.carry(request(kind, name, effect));
  return {
    resolveCommit: (_, ref) => ask("read", "resolve", () => repository.byId(ref).id),
    readRange: async ({ stopAt, maxCommits }) => {
      const head = await ask("read", "range", () => world.head);
      rememberDecision(world, run, head);
      const { id, tree } = repository.commit(head);
      return { head: id, commits: repository.range(head, stopAt, maxCommits), hardFence: hardFenceOf(tree) };
    },
    readHardFence: ({ commitId }) => ask("read", "hard fence", () => hardFenceOf(repository.byId(commitId).tree)),
    readCommit: (_, id) => ask("read", "commit", () => repository.byId(id)),
    listBranches: (_, prefix) =>
      ask("read", "list branches", () => [...world.branches.keys()].filter((name) => name.startsWith(prefix))),
    createStagingBranch: (_, name, base) =>
      leaving(run, () =>
        ask("write", "create branch", () => {
          const { number, tree } = repository.byId(base);
          world.branches.set(name, { base: number, head: number, tree, sinceMs: world.scheduler.nowMs, by: run });
        }),
      ),
    commitStaging: ({ branch, metadata }) => ask("write", "commit staging", () => commit(world, run, branch, metadata)),
    merge: (request) => merge(world, run, network, wiring, request),
    deleteStagingBranch: (_, name) =>
      leaving(run, () => ask("write", "delete branch", () => void world.branches.delete(name))),
  };
}

/** A branch made late, or not deleted, is the sweeper's (rule X1). */
async function leaving<T>(run: Run, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    run.cleanupFailed = true;
    throw error;
  }
}

/** The last history that an execution gets to read before it fails tells whether its merge may still land (rule S7). */
function rememberDecision(world: SimWorld, run: Run, head: number): void {
  run.headAtDecision = head;
  run.judgedHead = head;
  if (run.phase !== "readHistory" || run.stagingCommit < 0) return;
  run.mayLand = world.repository.commit(run.stagingCommit).parent === head;
}

function commit(world: SimWorld, run: Run, name: string, metadata: Readonly<Record<string, string>>): string {
  const branch = world.branches.get(name);
  if (branch === undefined) throw unavailable(false);
  branch.head = world.repository.add(branch.base, branch.tree, metadata);
  branch.sinceMs = world.scheduler.nowMs;
  run.stagingCommit = branch.head;
  return world.repository.commit(branch.head).id;
}

async function merge(
  world: SimWorld,
  run: Run,
  network: Network,
  wiring: Wiring,
  sent: MergeRequest,
): Promise<MergeOutcome> {
  const { fate, name } = network.fate("merge", "merge");
  if (fate.trouble !== "none") world.tell(`${name} ${fate.trouble}`);
  if (fate.trouble !== "dies") world.check([() => broken([s5Stale], { wasStale: run.wasStale })[0]], undefined);
  if (fate.trouble === "copied" || fate.trouble === "busy_copied") run.copied = true;
  const effect = (): MergeOutcome => perform(world, run, wiring, sent);
  if (fate.trouble === "busy_copied") world.scheduler.after(fate.longMs, () => void effect());
  const answer = answerOf(fate.trouble);
  const carried = {
    ...request("merge", "merge", answer === undefined ? effect : () => answer),
    timeoutMs: sent.timeoutMs,
  };
  try {
    return await network.under(fate, carried);
  } catch {
    return wiring.blindRetry === true ? effect() : { kind: "unknown", message: "no answer" };
  }
}

function answerOf(trouble: string): MergeOutcome | undefined {
  if (trouble === "busy" || trouble === "busy_copied") return { kind: "busy", message: "429", retryAfterMs: 1000 };
  if (trouble === "hook") return { kind: "refused", code: "hook_refused", message: "another hook refuses", hint: "" };
  return undefined;
}

/** lakeFS' merge, with the pre-merge hook where the source carries the hard fence (rule H3). */
function perform(world: SimWorld, run: Run, wiring: Wiring, { stagingCommit, metadata }: MergeRequest): MergeOutcome {
  const { repository } = world;
  const expected = metadata["perago.expected_head"];
  const named = wiring.mergeByBranchName === true ? branchOf(world, run) : undefined;
  const source = named ?? repository.byId(stagingCommit).number;
  const isFenced = repository.commit(source).tree.has(ACTION) && wiring.actionIgnored !== true;
  if (isFenced && expected !== repository.commit(world.head).id) {
    world.tell(`${run.name}: the hard fence refuses a merge`);
    return { kind: "refused", code: "publish_fence", message: "the head is another", hint: "" };
  }
  const merged = repository.squashMerge(source, world.head, metadata);
  if ("conflict" in merged) return { kind: "refused", code: "merge_conflict", message: merged.conflict, hint: "" };
  const commit = repository.commit(merged.number);
  world.land(commit, run, isFenced);
  return { kind: "merged", commitId: commit.id };
}

function branchOf(world: SimWorld, run: Run): number | undefined {
  return [...world.branches.values()].find(({ by }) => by === run)?.head;
}

function request<T>(kind: RequestKind, name: string, effect: () => T): Carried<T> {
  return { kind, name, effect, noAnswer: unavailable, timeoutMs: requestTimeoutMs };
}

/** What the ports throw when nothing is known. */
export function unavailable(landed: boolean): AttemptError {
  const message = landed ? "no answer came" : "the server could not be reached";
  return new AttemptError({ code: "server_unavailable", message, hint: "" });
}
