import {
  s14NothingLeaves,
  s1ExpectedHead,
  s3NoForeign,
  s4OutsidePrefix,
  s6OneChain,
  s9OncePerDelivery,
} from "./commits.ts";
import { s10Ends, s13Quiet, s5Stale, s7NothingLeft } from "./endings.ts";
import type { History } from "./history.ts";
import type { Invariant, Violation } from "./index-of.ts";
import { s11Asked, s12OwnResult, s2Completed, s9NoOlderAfter } from "./outputs.ts";

/** S1 to S14; S8 is about mutants of the simulation and is shown there. */
export const INVARIANTS: readonly Invariant[] = [
  s1ExpectedHead,
  s2Completed,
  s3NoForeign,
  s4OutsidePrefix,
  s5Stale,
  s6OneChain,
  s7NothingLeft,
  s9OncePerDelivery,
  s9NoOlderAfter,
  s10Ends,
  s11Asked,
  s12OwnResult,
  s13Quiet,
  s14NothingLeaves,
];

/** Everything that a history breaks. Pure: it sees nothing but the history. */
export function audit(history: History): readonly Violation[] {
  return INVARIANTS.flatMap((invariant) => invariant(history));
}
