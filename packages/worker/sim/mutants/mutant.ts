import type { Scope, Wiring } from "../explore/context.ts";
import type { Mutation } from "./wrap.ts";

/** One rule switched off, and what becomes of it (rule S8). */
export interface Mutant {
  /** As `pnpm sim --mutant` takes it. */
  readonly name: string;
  /** The rule, or rules, that are off. */
  readonly rules: string;
  readonly what: string;
  readonly mutation?: Mutation;
  readonly wiring?: Wiring;
  readonly scope: Scope;
  /** The invariant that catches it. */
  readonly caught?: string;
  /** It is a second lock: the rules that cover it. */
  readonly coveredBy?: string;
}

/** One that an invariant catches. */
export const caught = (mutant: Omit<Mutant, "coveredBy"> & { readonly caught: string }): Mutant => mutant;
/** One that breaks nothing by itself. */
export const secondLock = (mutant: Omit<Mutant, "caught"> & { readonly coveredBy: string }): Mutant => mutant;
