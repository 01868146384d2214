import type { Order } from "../../src/attempt/machine/order.ts";
import { broken, TAKING } from "../invariants/attempt.ts";
import { readOf, takeReport } from "../model/engine.ts";
import { KEY, WORKFLOW } from "./context.ts";
import { taskNow, type Option, type Scene } from "./scene.ts";
import { encodeTask, withExecution, type World } from "./world.ts";

/** Rule R4: the lease stops when no heartbeat is in flight; one without an answer may still be written later. */
export function stopLeaseOptions(scene: Scene): readonly Option<Order["stopLease"]["answer"]>[] {
  const { context, world, index, execution } = scene;
  const { beat } = execution;
  const stopped = { text: "stopped", answer: { value: { unanswered: false } }, world, how: "" };
  if (beat?.gaveUp === true) return [{ ...stopped, text: "unanswered", answer: { value: { unanswered: true } } }];
  if (beat === undefined || context.wiring.heartbeatNotAwaited === true) return [stopped];
  const lost = withExecution(world, index, { ...execution, beat: { ...beat, gaveUp: true } });
  const answer = { value: { unanswered: true } };
  return [{ text: "unanswered", fault: "lostBeat", answer, world: lost, how: "without the heartbeat's answer" }];
}

/** Rule R8's read; what it saw is kept until the result is sent. */
export function readForReportOptions(scene: Scene): readonly Option<Order["readForReport"]["answer"]>[] {
  const { world, index, execution } = scene;
  const task = taskNow(scene);
  const seen = withExecution(world, index, { ...execution, seen: task });
  return [
    { text: encodeTask(task), answer: { value: readOf(world.engine, task.id, WORKFLOW) }, world: seen, how: "" },
    { text: "refused", fault: "request", world, how: "fails" },
  ];
}

/** The engine takes a result or drops it, and answers 200 either way. */
export function reportOptions(scene: Scene, args: Order["report"]["args"]): readonly Option<void>[] {
  const { world } = scene;
  const taken = take(scene, args);
  const text = "ok";
  return [
    { text, answer: { value: undefined }, world: taken.world, how: "", broken: taken.broken },
    { text: "refused", fault: "request", world, how: "is lost" },
    { text: "refused", fault: "request", world: taken.world, how: "is taken, answer lost", broken: taken.broken },
  ];
}

function take(scene: Scene, args: Order["report"]["args"]): { world: World; broken: readonly string[] } {
  const { context, index, execution } = scene;
  const { seen, ...sent } = execution;
  const world = withExecution(scene.world, index, sent);
  const task = taskNow({ world, execution });
  const ref = refIn(args.outputJson);
  const report = { taskId: args.taskId, status: args.status, ref };
  const engine = takeReport(world.engine, report, context.rules);
  if (engine === undefined) return { world, broken: [] };
  const { fixed } = execution;
  const facts = {
    repository: context.repository,
    head: world.head,
    hardFence: context.scope.hardFence,
    task,
    held: fixed.task,
    status: args.status,
    ref,
    withCommit: isOwnOutput(scene, ref),
    folder: fixed.folder,
    logicalTaskKey: KEY,
    windowOpen: world.rewound || (seen !== undefined && encodeTask(seen) !== encodeTask(task)),
  };
  const completion = { logicalTaskKey: KEY, scheduledTime: fixed.task.scheduledTime, ref, asked: facts.windowOpen };
  const completions = args.status === "COMPLETED" ? [...world.completions, completion] : world.completions;
  return { world: { ...world, engine, completions }, broken: broken(TAKING, facts) };
}

function isOwnOutput({ context, execution }: Scene, ref: string): boolean {
  const own = execution.stagingCommit;
  if (ref === "" || own < 0) return false;
  const { repository } = context;
  return repository.byId(ref).metadata["perago.staging_commit"] === repository.commit(own).id;
}

function refIn(outputJson: string | undefined): string {
  return /"ref":"([0-9a-f]{64})"/.exec(outputJson ?? "")?.[1] ?? "";
}
