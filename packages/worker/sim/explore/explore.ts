import type { Machine } from "../../src/attempt/machine/step.ts";
import { advance, type Successor } from "./advance.ts";
import { createContext, firstWorld, type Context, type Scope, type Wiring } from "./context.ts";
import { environment } from "./environment.ts";
import { comesToAnEnd, isQuiet, quietChecks } from "./quiet.ts";
import { encode, type World } from "./world.ts";

/** What broke, and the shortest way there. */
export interface Violation {
  /** `S1: ...` */
  readonly text: string;
  readonly path: readonly string[];
}

/** What an exploration came to. */
export interface Exploration {
  readonly stateCount: number;
  readonly transitionCount: number;
  /** Different steps of the production machine that were taken. */
  readonly machineStepCount: number;
  readonly quietCount: number;
  /** The first of each invariant, in the order in which they were found. The search is breadth first: the shortest. */
  readonly violations: readonly Violation[];
  /** False where the bound ended it. */
  readonly complete: boolean;
  /** Publications onto an unexpected head that were seen (soft fence only). */
  readonly raceCount: number;
}

/** How an exploration is run. */
export interface ExploreOptions {
  readonly scope: Scope;
  readonly machine: Machine;
  readonly wiring?: Wiring;
  /** Default 20 million. */
  readonly maxStateCount?: number;
  /** Stop at the first violation; default true. */
  readonly stopAtFirst?: boolean;
  /** Stop at the first violation of this invariant; others are kept on the way. */
  readonly until?: string;
  /** From every so manieth state everything is run to its end without faults (rule S10); default 50. */
  readonly drainEvery?: number;
}

const defaultMaxStateCount = 20_000_000;
const defaultDrainEvery = 50;

/** Explores every world that the scope allows, breadth first, each one once. */
export function explore(options: ExploreOptions): Exploration {
  const { scope, machine, wiring, maxStateCount = defaultMaxStateCount, drainEvery = defaultDrainEvery } = options;
  const context = createContext(scope, machine, wiring);
  const search = new Search(context);
  search.visit({ label: "start", world: firstWorld(context), broken: [] }, -1);
  let quietCount = 0;
  let at = 0;
  for (; at < search.size && search.size < maxStateCount; at += 1) {
    const world = search.take(at);
    if (isQuiet(context, world)) {
      quietCount += 1;
      search.report(quietChecks(context, world), at, "then nothing runs");
    }
    if (at % drainEvery === 0) search.report(comesToAnEnd(context, world), at, "then no fault happens");
    for (const next of successors(context, world)) search.visit(next, at);
    if (isEnough(options, search.violations)) break;
  }
  return {
    stateCount: search.size,
    transitionCount: search.transitionCount,
    machineStepCount: context.machine.stepCount,
    quietCount,
    violations: search.violations,
    complete: at >= search.size,
    raceCount: raceCount(context),
  };
}

function isEnough({ stopAtFirst = true, until }: ExploreOptions, violations: readonly Violation[]): boolean {
  if (until !== undefined) return violations.some(({ text }) => text.startsWith(`${until}:`));
  return stopAtFirst && violations.length > 0;
}

/** Everything that can happen next. */
export function successors(context: Context, world: World): readonly Successor[] {
  const steps = world.executions.flatMap((_, index) => advance(context, world, index));
  return [...steps, ...environment(context, world)];
}

function raceCount({ repository }: Context): number {
  return repository.commits.filter(
    ({ metadata, parents }) =>
      metadata["perago.phase"] === "confirm" && (metadata["perago.expected_head"] ?? parents[0]) !== parents[0],
  ).length;
}

/** Worlds that were met, and the way to each. */
class Search {
  transitionCount = 0;
  readonly violations: Violation[] = [];
  readonly #seen = new Set<string>();
  readonly #worlds: (World | undefined)[] = [];
  readonly #parents: number[] = [];
  readonly #labels: string[] = [];
  readonly #texts = new Map<string, string>();
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  get size(): number {
    return this.#parents.length;
  }

  /** The world, which is forgotten: what is kept of it is its code and the way to it. */
  take(at: number): World {
    const world = this.#worlds[at];
    if (world === undefined) throw new Error(`world ${at} was taken before`);
    this.#worlds[at] = undefined;
    return world;
  }

  visit({ world, label, broken }: Successor, parent: number): void {
    this.transitionCount += 1;
    const failures = [...broken, ...this.#lostCommits(world, parent)];
    if (failures.length > 0) this.report(failures, parent, label);
    const code = encode(world);
    if (this.#seen.has(code)) return;
    this.#seen.add(code);
    this.#worlds.push(world);
    this.#parents.push(parent);
    this.#labels.push(this.#shared(label));
    this.#heads.push(world.head);
  }

  report(failures: readonly string[], at: number, label: string): void {
    for (const text of failures) {
      const name = text.split(":")[0];
      if (this.violations.some((known) => known.text.startsWith(`${name}:`))) continue;
      this.violations.push({ text, path: [...this.#path(at), label] });
    }
  }

  readonly #heads: number[] = [];

  /** S14: no commit leaves the target's first parents. */
  #lostCommits({ head }: World, parent: number): readonly string[] {
    const before = this.#heads[parent];
    if (before === undefined || before === head) return [];
    const { repository } = this.#context;
    const kept = repository.history(head).includes(repository.commit(before));
    return kept ? [] : [`S14: ${before} left the target`];
  }

  #path(at: number): readonly string[] {
    const path: string[] = [];
    for (let place = at; place > 0; place = this.#parents[place] ?? 0) path.push(this.#labels[place] ?? "");
    return path.toReversed();
  }

  #shared(label: string): string {
    const known = this.#texts.get(label);
    if (known !== undefined) return known;
    this.#texts.set(label, label);
    return label;
  }
}
