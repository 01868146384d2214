import { diceOf } from "./dice.ts";
import type { Scenario } from "./scenario.ts";

/** What becomes of one request. */
export type Trouble =
  /** Nothing: it takes a few milliseconds. */
  | "none"
  /** It arrives after a long while. */
  | "slow"
  /** It is answered after a long while. */
  | "slow_answer"
  /** It never arrives, and fails. */
  | "lost"
  /** It is performed, and its answer is lost. */
  | "answer_lost"
  /** It fails, and is performed later all the same. */
  | "late"
  /** It is performed twice, the second time later. */
  | "copied"
  /** 429. */
  | "busy"
  /** 429, and a copy of it is performed later. */
  | "busy_copied"
  /** 412 by somebody's own hook. */
  | "hook"
  /** The host dies before it is sent. */
  | "dies"
  /** The host dies after it is sent. */
  | "dies_after"
  /** The host stands still for a while, heartbeats too, before it is sent. */
  | "stalls";

/** What kind of request it is: what may become of it differs. */
export type RequestKind = "read" | "write" | "merge" | "report" | "heartbeat" | "local";

/** One request's fate. */
export interface Fate {
  readonly trouble: Trouble;
  readonly thereMs: number;
  readonly backMs: number;
  /** How long what is slow, late or still takes. */
  readonly longMs: number;
}

const always: readonly Trouble[] = ["slow", "slow_answer", "lost", "dies", "stalls"];
const troubles: Readonly<Record<RequestKind, readonly Trouble[]>> = {
  read: always,
  write: [...always, "answer_lost", "dies_after"],
  merge: [
    ...always,
    "answer_lost",
    "answer_lost",
    "late",
    "late",
    "copied",
    "busy",
    "busy_copied",
    "hook",
    "dies_after",
  ],
  report: [...always, "answer_lost", "late", "dies_after"],
  heartbeat: ["slow", "slow_answer", "lost", "answer_lost", "late"],
  local: ["dies", "stalls"],
};
/** Merges and reports meet faults more often: they are few, and what matters. */
const weights: Readonly<Record<RequestKind, number>> = {
  read: 1,
  write: 1,
  merge: 5,
  report: 3,
  heartbeat: 1,
  local: 0.3,
};

const calmPaceMs = 20;

/**
 * Decides what becomes of each request, by its name alone. Where `only` is given, other troubles than those named there
 * do not happen: so a failing run is made smaller.
 */
export class Fates {
  /** Names of everything that went wrong. */
  readonly struck: string[] = [];
  readonly #scenario: Scenario;
  readonly #only: ReadonlySet<string> | undefined;
  /** Nothing goes wrong any more. */
  isCalm = false;

  constructor(scenario: Scenario, only?: ReadonlySet<string>) {
    this.#scenario = scenario;
    this.#only = only;
  }

  /** Whether something that is not a request happens. */
  allows(name: string): boolean {
    if (this.isCalm || (this.#only !== undefined && !this.#only.has(name))) return false;
    this.struck.push(name);
    return true;
  }

  /** The fate of the request of that name. */
  of(kind: RequestKind, name: string): Fate {
    const { seed, faultRate } = this.#scenario;
    // A short lease on a slow network never outlasts a merge (rule C9): that is a disturbance too.
    const paceMs = this.isCalm ? calmPaceMs : this.#scenario.paceMs;
    const dice = diceOf(seed, name);
    const way = { thereMs: dice.between(1, paceMs), backMs: dice.between(1, paceMs) };
    const times = { ...way, longMs: dice.between(500, 100_000) };
    const strikes = dice.chance(faultRate * weights[kind]);
    const trouble = dice.pick(troubles[kind]);
    return { ...times, trouble: strikes && this.allows(`${name} ${trouble}`) ? trouble : "none" };
  }
}
