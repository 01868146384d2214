import { matches, type Fault, type FaultAction, type SeenRequest } from "./rule.ts";

/** A fault that was asked for. */
export interface ActiveFault {
  /** Matching requests seen so far, hit or not. */
  readonly seen: number;
  /** Requests that were hit. */
  readonly hits: number;
  /** Ends it. */
  remove(): void;
}

/** The faults of one emulator; both servers obey them. */
export interface FaultControls {
  /** Adds a fault. Where several hit one request the one added first counts; the others count it as seen. */
  add(fault: Fault): ActiveFault;
  /** Ends all faults. */
  clear(): void;
  /** What happens to this request; undefined: nothing. Counts it. */
  decide(request: SeenRequest): FaultAction | undefined;
}

class Counted implements ActiveFault {
  readonly #fault: Fault;
  readonly #drop: (fault: Counted) => void;
  seen = 0;
  hits = 0;

  constructor(fault: Fault, drop: (fault: Counted) => void) {
    this.#fault = fault;
    this.#drop = drop;
  }

  remove(): void {
    this.#drop(this);
  }

  /** Counts the request; true where its number is one that is hit. */
  count(request: SeenRequest): boolean {
    if (!matches(this.#fault, request)) return false;
    this.seen += 1;
    const first = this.#fault.nth ?? 1;
    return this.seen >= first && this.seen < first + (this.#fault.times ?? 1);
  }

  hit(): FaultAction {
    this.hits += 1;
    return this.#fault;
  }
}

/** Controls without a fault. */
export function createFaults(): FaultControls {
  const active = new Set<Counted>();
  return {
    add(fault) {
      const counted = new Counted(fault, (one) => active.delete(one));
      active.add(counted);
      return counted;
    },
    clear: () => active.clear(),
    decide(request) {
      const due = [...active].filter((fault) => fault.count(request));
      return due[0]?.hit();
    },
  };
}
