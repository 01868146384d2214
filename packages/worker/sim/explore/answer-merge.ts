import type { Order } from "../../src/attempt/machine/order.ts";
import { broken, s5Stale } from "../invariants/attempt.ts";
import { performMerge, type Option, type Performed, type Scene } from "./scene.ts";
import { withExecution, type World } from "./world.ts";

type MergeAnswer = Order["merge"]["answer"];

const unknown = { kind: "unknown", message: "no answer" } as const;
const busy = { kind: "busy", message: "too many tries", retryAfterMs: 1 } as const;

/** What may become of one merge request (faults B1-B7; rules C5, C8). */
export function mergeOptions(scene: Scene, args: Order["merge"]["args"]): readonly Option<MergeAnswer>[] {
  const { context, world, index, execution } = scene;
  const { sendBeforeMs: _, ...request } = args;
  const number = context.requests.numberOf(request);
  const sent = broken([s5Stale], { wasStale: execution.wasStale });
  const flying = (from: World): World => ({ ...from, flights: [...from.flights, { by: index, request: number }] });
  const once = performMerge(context, world, index, number);
  const lost = { answer: { value: unknown }, fault: "merge", broken: sent } as const;
  const options: readonly Option<MergeAnswer>[] = [
    { ...answered(once), broken: [...sent, ...once.broken] },
    { text: "busy", fault: "busy", answer: { value: busy }, world, how: "is answered 429", broken: sent },
    { ...lost, text: "unknown", world, how: "is lost" },
    { ...lost, text: "unknown", world: once.world, how: "lands, answer lost", broken: [...sent, ...once.broken] },
    { ...lost, text: "unknown", world: flying(world), how: "is late" },
    ...(world.budget.copy > 0 ? copyOptions(scene, number, flying) : []),
  ];
  return context.wiring.blindRetry === true ? options.map((option) => sentAgain(scene, number, option)) : options;
}

/** The network sends a request twice, and one answer comes. */
function copyOptions(
  { context, world, index, execution }: Scene,
  number: number,
  flying: (from: World) => World,
): readonly Option<MergeAnswer>[] {
  const copied = withExecution(world, index, { ...execution, copied: true });
  const copy = performMerge(context, copied, index, number);
  const twice = performMerge(context, copy.world, index, number);
  const { broken } = copy;
  const isBusy = { text: "busy", answer: { value: busy }, fault: "copy" } as const;
  return [
    { ...answered(copy), fault: "copy", world: flying(copy.world), how: "is sent twice, the copy is late", broken },
    {
      ...answered(twice),
      fault: "copy",
      how: "is sent twice, the second answer comes",
      broken: [...broken, ...twice.broken],
    },
    { ...isBusy, world: copy.world, how: "lands, its copy is answered 429", broken },
    { ...isBusy, world: flying(copied), how: "is answered 429, its copy is late" },
  ];
}

function answered({ world, commit, refused }: Performed): Option<MergeAnswer> {
  if (commit !== undefined) {
    return { text: `m${commit.number}`, answer: { value: { kind: "merged", commitId: commit.id } }, world, how: "" };
  }
  const code = refused ?? "hook_refused";
  return {
    text: code,
    answer: { value: { kind: "refused", code, message: code, hint: "" } },
    world,
    how: `is refused, ${code}`,
  };
}

/** The mutant of rule C5. */
function sentAgain(scene: Scene, number: number, option: Option<MergeAnswer>): Option<MergeAnswer> {
  if (option.answer?.value.kind !== "unknown") return option;
  const again = performMerge(scene.context, option.world, scene.index, number);
  const { how } = option;
  return {
    ...answered(again),
    fault: "merge",
    how: `${how}, is sent again`,
    broken: [...(option.broken ?? []), ...again.broken],
  };
}
