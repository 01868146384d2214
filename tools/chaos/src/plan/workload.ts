import { dealFaults } from "./deck.ts";
import { createDice, type Dice } from "./dice.ts";
import { strikesInBody, type Fault } from "./fault.ts";

/** What a body does; the task module has the same shape. */
export type Deed =
  | { readonly do: "write" | "rewrite" | "remove" | "leave_child"; readonly path: string }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "await_death" | "fail" | "fail_terminally" };

/** A fault, and which execution of which step it strikes. */
export interface PlannedFault {
  readonly fault: Fault;
  readonly step: number;
  /** The n-th execution of the step, from 0, or the next one that gets so far. */
  readonly execution: number;
}

/** What somebody asks for when the workflow has ended. */
export type Afterwards = "rerun" | "restart" | "retry";

/** One workflow of the run: its steps are chained, on a target branch of its own. */
export interface PlannedWorkflow {
  readonly index: number;
  readonly repository: number;
  /** For each step what its first, second, ... body does; the last one is used from there on. */
  readonly scripts: readonly (readonly (readonly Deed[])[])[];
  readonly faults: readonly PlannedFault[];
  readonly afterwards?: Afterwards;
}

export const REPOSITORY_COUNT = 3;
const FILES = ["a.txt", "b.txt", "deep/c.txt", "deep/er/d.txt"];

/** The workflows of a seed, one after the other, without end. */
export function* planWorkflows(seed: number): Generator<PlannedWorkflow, never> {
  const faults = dealFaults(createDice(seed, "faults"));
  for (let index = 0; ; index += 1) {
    const dice = createDice(seed, `workflow ${index}`);
    const stepCount = dice.pick([1, 1, 1, 2, 2, 3]);
    const planned = planFaults(dice, faults, stepCount);
    const scripts = Array.from({ length: stepCount }, (_, step) =>
      planScripts(
        dice,
        planned.filter((each) => each.step === step),
      ),
    );
    const afterwards = dice.chance(18) ? dice.pick<Afterwards>(["rerun", "restart", "retry"]) : undefined;
    const repository = dice.below(REPOSITORY_COUNT);
    yield { index, repository, scripts, faults: planned, ...(afterwards === undefined ? {} : { afterwards }) };
  }
}

/** One workflow of one step for each fault, which strikes its first execution; its bodies write. */
export function planEach(seed: number, faults: readonly Fault[]): PlannedWorkflow[] {
  return faults.map((fault, index) => {
    const dice = createDice(seed, `workflow ${index}`);
    const scripts = [planScripts(dice, [{ fault, step: 0, execution: 0 }])];
    return { index, repository: index % REPOSITORY_COUNT, scripts, faults: [{ fault, step: 0, execution: 0 }] };
  });
}

/** Nine of ten steps are struck in their first execution, and a third of those in their second one, too. */
function planFaults(dice: Dice, faults: Generator<Fault, never>, stepCount: number): PlannedFault[] {
  const planned: PlannedFault[] = [];
  for (let step = 0; step < stepCount; step += 1) {
    if (dice.chance(10)) continue;
    planned.push({ fault: faults.next().value, step, execution: 0 });
    if (dice.chance(33)) planned.push({ fault: faults.next().value, step, execution: 1 });
  }
  return planned;
}

/** A body that is to be struck late must get so far; one whose executor is to be killed waits for that. */
function planScripts(dice: Dice, struck: readonly PlannedFault[]): Deed[][] {
  const bodyCount = Math.max(1 + dice.below(3), ...struck.map(({ execution }) => execution + 1));
  const scripts = Array.from({ length: bodyCount }, (_, body) => {
    return struck.some(({ execution }) => execution <= body) ? writing(dice) : anything(dice);
  });
  const all = [...scripts, writing(dice)];
  const kill = struck.find(({ fault }) => strikesInBody(fault));
  return all.map((deeds, body) =>
    kill !== undefined && kill.execution <= body ? [...deeds, { do: "await_death" } as const] : deeds,
  );
}

function writing(dice: Dice): Deed[] {
  const deeds: Deed[] = [{ do: dice.chance(75) ? "write" : "rewrite", path: dice.pick(FILES) }];
  if (dice.chance(40)) deeds.push({ do: "write", path: dice.pick(FILES) });
  if (dice.chance(30)) deeds.push({ do: "remove", path: dice.pick(FILES) });
  if (dice.chance(15)) deeds.push({ do: "wait", ms: 200 + dice.below(1500) });
  return deeds;
}

function anything(dice: Dice): Deed[] {
  const thrown = dice.below(100);
  if (thrown < 12) return [];
  if (thrown < 24) return [...writing(dice), { do: "fail" }];
  if (thrown < 27) return [...writing(dice), { do: "fail_terminally" }];
  if (thrown < 37) return [...writing(dice), { do: "leave_child", path: "left.txt" }];
  return writing(dice);
}
