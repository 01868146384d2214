import type { Order, PhaseName } from "../../src/attempt/machine/order.ts";
import { readOf } from "../model/engine.ts";
import { hardFenceOf, projectionOf, treeText, withProjection } from "../model/trees.ts";
import { WORKFLOW } from "./context.ts";
import { mergeOptions } from "./answer-merge.ts";
import { readForReportOptions, reportOptions, stopLeaseOptions } from "./answer-report.ts";
import { isCurrent, taskNow, type Option, type Scene } from "./scene.ts";
import { encodeTask, withExecution } from "./world.ts";

/** How the world may answer each question. */
export type Answers = {
  readonly [P in PhaseName]: (scene: Scene, args: Order[P]["args"]) => readonly Option<Order[P]["answer"]>[];
};

function plain<T>({ world }: Scene, value: T, text = ""): Option<T> {
  return { text, answer: { value }, world, how: "" };
}

/** The request was lost, or the answer: nothing is known, and nothing was changed. */
function failing<T>(world: Scene["world"], how = "fails"): Option<T> {
  return { text: "refused", fault: "request", world, how };
}

function always<T>(value: T): (scene: Scene) => readonly Option<T>[] {
  return (scene) => [plain(scene, value)];
}

function readRange(
  scene: Scene,
  { stopAt, maxCommits }: Order["pinHead"]["args"],
): readonly Option<Order["pinHead"]["answer"]>[] {
  const { repository } = scene.context;
  const { head } = scene.world;
  const commits = repository.range(head, stopAt, maxCommits);
  const { id, tree } = repository.commit(head);
  return [plain(scene, { head: id, commits, hardFence: hardFenceOf(tree) }, `${head}`), failing(scene.world)];
}

function readTask(scene: Scene): readonly Option<Order["checkAttempt"]["answer"]>[] {
  const task = taskNow(scene);
  const read = readOf(scene.world.engine, task.id, WORKFLOW);
  return [plain(scene, read, `${encodeTask(task)}${scene.execution.lapsed ? "!" : ""}`), failing(scene.world)];
}

function recheck(scene: Scene): readonly Option<Order["recheckAttempt"]["answer"]>[] {
  const { world, index, execution } = scene;
  const wasStale = !isCurrent(execution.fixed.task, taskNow(scene));
  return readTask({ ...scene, world: withExecution(world, index, { ...execution, wasStale }) });
}

function project({ context, execution }: Scene): Order["project"]["answer"] {
  const { folder, input } = execution.fixed;
  const before = projectionOf(context.repository.commit(input).tree);
  const unchanged = treeText(before) === treeText(folder);
  return { unchanged, fileCount: folder.size, uploadCount: unchanged ? 0 : 1, deleteCount: 0, violations: [] };
}

function createStaging(scene: Scene, { branch: name, base }: Order["createStaging"]["args"]): readonly Option<void>[] {
  const { context, world, index, execution } = scene;
  const commit = context.repository.byId(base);
  const branch = { name, base: commit.number, head: commit.number, tree: commit.tree };
  const made = withExecution(world, index, { ...execution, branch });
  return [plain({ ...scene, world: made }, undefined), failing(world, "fails before"), failing(made, "fails after")];
}

/** What is begun may be made, or lost: then it is made, or not, when it is waited for. */
function openStaging(scene: Scene, args: Order["openStaging"]["args"]): readonly Option<void>[] {
  const [made] = createStaging(scene, args);
  const lost = { ...plain(scene, undefined), fault: "request", how: "is lost" } as const;
  return made === undefined ? [lost] : [made, lost];
}

function createOpened(scene: Scene, args: Order["createStaging"]["args"]): readonly Option<void>[] {
  if (scene.execution.branch?.name !== args.branch) return createStaging(scene, args);
  return [plain(scene, undefined), failing(scene.world, "fails after")];
}

function stage(scene: Scene): readonly Option<Order["stage"]["answer"]>[] {
  const { world, index, execution } = scene;
  if (execution.branch === undefined) throw new Error("staged without a branch");
  const tree = withProjection(execution.branch.tree ?? new Map(), execution.fixed.folder);
  const staged = withExecution(world, index, { ...execution, branch: { ...execution.branch, tree } });
  return [plain({ ...scene, world: staged }, { uploadCount: 1, deleteCount: 0 })];
}

function commitStaging(scene: Scene, { metadata }: Order["commitStaging"]["args"]): readonly Option<string>[] {
  const { context, world, index, execution } = scene;
  const { branch } = execution;
  if (branch?.tree === undefined) throw new Error("committed without staging");
  const number = context.repository.add(branch.base, branch.tree, metadata);
  const { name, base } = branch;
  const committed = { ...execution, stagingCommit: number, branch: { name, base, head: number } };
  return [
    plain(
      { ...scene, world: withExecution(world, index, committed) },
      context.repository.commit(number).id,
      `${number}`,
    ),
  ];
}

/** Rule T13: the difference from base to staging commit is the plan: what the folder makes of the base. */
function verifyStaging(scene: Scene, { base, stagingCommit }: Order["verifyStaging"]["args"]): readonly Option<void>[] {
  const { repository } = scene.context;
  const planned = withProjection(repository.byId(base).tree, scene.execution.fixed.folder);
  const isPlan = treeText(planned) === treeText(repository.byId(stagingCommit).tree);
  return isPlan ? [plain(scene, undefined)] : [{ text: "refused", world: scene.world, how: "is refused" }];
}

function deleteStaging(scene: Scene): readonly Option<void>[] {
  const { world, index, execution } = scene;
  const { branch, ...without } = execution;
  const gone = withExecution(world, index, without);
  const kept = branch === undefined ? execution : { ...execution, branch: { ...branch, kept: true } };
  return [plain({ ...scene, world: gone }, undefined), failing(withExecution(world, index, kept))];
}

function listStaging(scene: Scene): readonly Option<readonly string[]>[] {
  const names = scene.world.executions.flatMap(({ branch }) => (branch === undefined ? [] : [branch.name]));
  return [plain(scene, names, names.join()), failing(scene.world)];
}

/** The table: for each phase what may be answered, the ordinary answer first. */
export const ANSWERS: Answers = {
  validate: always({ ok: true }),
  resolve: (scene, { ref }) => [plain(scene, ref)],
  fenceEarly: readRange,
  syncIn: always({ path: "/model", fileCount: 1 }),
  checkPre: always([]),
  run: always({ kind: "returned", resultJson: "1", sizeBytes: 1 }),
  openStaging,
  seal: always(undefined),
  project: (scene) => [plain(scene, project(scene))],
  checkAttempt: readTask,
  fenceBase: readRange,
  compareOwn(scene, { commitId }) {
    const shown = projectionOf(scene.context.repository.byId(commitId).tree);
    const equal = treeText(shown) === treeText(scene.execution.fixed.folder);
    return [plain(scene, equal, `${equal}`)];
  },
  listStaging,
  discardStaging: deleteStaging,
  createStaging: createOpened,
  stage,
  commitStaging,
  verifyStaging,
  verifyHardFence: (scene, { commitId }) => [plain(scene, hardFenceOf(scene.context.repository.byId(commitId).tree))],
  pinHead: readRange,
  recheckAttempt: recheck,
  extendLease: always(undefined),
  merge: mergeOptions,
  pauseMerge: always(undefined),
  readPublished: (scene, { commitId }) => [plain(scene, scene.context.repository.byId(commitId)), failing(scene.world)],
  readHistory: readRange,
  stopLease: stopLeaseOptions,
  readForReport: readForReportOptions,
  report: reportOptions,
  pauseReport: always(undefined),
  readBack: readTask,
  pauseReadBack: always(undefined),
  deleteStaging,
  removeFolder: always(undefined),
  releaseExecutor: always(undefined),
};
