import type { PhaseName } from "../machine/order.ts";
import type { Note } from "../machine/state.ts";

/** What the driver tells on the way: counted and logged by the host, recorded by simulations. */
export interface Observer {
  note(note: Note): void;
  /** A phase is about to be asked: where the fault tests and the simulation strike. */
  asking?(name: PhaseName): void;
  /** A phase was answered, or refused with a code. */
  phase(name: PhaseName, durationMs: number, refusedWith?: string): void;
  /** A port threw what no port may throw: our own mistake. */
  unforeseen(phase: PhaseName, error: unknown): void;
}
