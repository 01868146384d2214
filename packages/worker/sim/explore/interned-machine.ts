import type { AttemptFacts } from "../../src/attempt/machine/facts.ts";
import type { Order, PhaseName } from "../../src/attempt/machine/order.ts";
import type { AnyState, Event, Note } from "../../src/attempt/machine/state.ts";
import { isOf, type Machine, type Step } from "../../src/attempt/machine/step.ts";

/** Where one step of the machine led, by the number of the state. */
export interface Transition {
  readonly state: number;
  readonly notes: readonly Note[];
}

/**
 * The machine with its states numbered. It is pure, so each step is taken once and remembered: what is explored are
 * numbers, and what produced them is the machine itself.
 */
export class InternedMachine {
  /** Steps of the machine that were really taken. */
  stepCount = 0;
  readonly #machine: Machine;
  readonly #states: AnyState[] = [];
  readonly #byText = new Map<string, number>();
  readonly #transitions: Map<string, Transition>[] = [];
  readonly #started = new Map<number, Transition>();

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** The first state of an execution; `key` is one number for one set of facts. */
  start(facts: AttemptFacts, key: number): Transition {
    const known = this.#started.get(key);
    if (known !== undefined) return known;
    const transition = this.#keep(this.#machine.start(facts), key);
    this.#started.set(key, transition);
    return transition;
  }

  /** The state behind a number. */
  state(number: number): AnyState {
    const state = this.#states[number];
    if (state === undefined) throw new Error(`no state ${number}`);
    return state;
  }

  /** What the state asks, if it is in that phase. */
  question<P extends PhaseName>(phase: P, number: number): Order[P]["args"] {
    const state = this.state(number);
    if (!isOf(phase, state)) throw new Error(`asked for ${phase} in ${state.phase}`);
    return this.#machine.question<P>(phase, state);
  }

  /** One step. `text` names the event: equal texts mean equal events in this state. */
  step(number: number, text: string, event: () => Event, key: number): Transition {
    const from = (this.#transitions[number] ??= new Map());
    const known = from.get(text);
    if (known !== undefined) return known;
    this.stepCount += 1;
    const transition = this.#keep(this.#machine.step(this.state(number), event()), key);
    from.set(text, transition);
    return transition;
  }

  #keep({ state, effects }: Step, key: number): Transition {
    const { facts: _, ...rest } = state;
    const text = `${key}${JSON.stringify(rest)}`;
    let number = this.#byText.get(text);
    if (number === undefined) {
      number = this.#states.length;
      this.#states.push(state);
      this.#byText.set(text, number);
    }
    return { state: number, notes: effects.flatMap((effect) => (effect.do === "note" ? [effect.note] : [])) };
  }
}
