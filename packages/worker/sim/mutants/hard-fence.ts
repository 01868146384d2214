import { SMALL } from "../explore/scopes.ts";
import { caught, secondLock, type Mutant } from "./mutant.ts";
import { stagingUnverified } from "./publishing.ts";
import { all, believing, seeing, type Mutation } from "./wrap.ts";

const inForce = { kind: "in_force", version: 1, exclusive: false } as const;

/** P10 off under the hard fence: a lost race in the range is walked over, as with the soft one. */
const racesWalked: Mutation = seeing((_, { hardFence: __, ...range }) => range);

/** H2 off: `required` counts as `auto`. */
const requiredIgnored: Mutation = all(
  seeing((_, range) => ({ ...range, hardFence: inForce })),
  believing("verifyHardFence", () => inForce),
);

/** H3 off: the staging commit is not looked at. */
const hardFenceUnverified: Mutation = believing("verifyHardFence", () => inForce);

/** The rules of the hard fence switched off, alone and with what covers them. */
export const HARD_FENCE_MUTANTS: readonly Mutant[] = [
  caught({
    name: "action_ignored",
    rules: "H1",
    what: "the server does not run the action",
    wiring: { actionIgnored: true },
    scope: SMALL.foreign,
    caught: "S1",
  }),
  caught({
    name: "required_ignored",
    rules: "H2",
    what: "published without the hard fence that is required",
    mutation: requiredIgnored,
    scope: SMALL.inVain,
    caught: "S1",
  }),
  secondLock({
    name: "hard_fence_unverified",
    rules: "H3",
    what: "the staging commit's action is not looked at",
    mutation: hardFenceUnverified,
    scope: SMALL.unfenced,
    coveredBy: "T13, P3",
  }),
  secondLock({
    name: "unfenced_staging_unverified",
    rules: "T13",
    what: "the staging commit is not compared with the plan, and somebody took the action from it",
    mutation: stagingUnverified,
    scope: SMALL.required,
    coveredBy: "H3 with H2 required",
  }),
  caught({
    name: "unfenced_staging_unseen",
    rules: "T13, H3",
    what: "both of them",
    mutation: all(stagingUnverified, hardFenceUnverified),
    scope: SMALL.required,
    caught: "S1",
  }),
  secondLock({
    name: "races_walked",
    rules: "P10",
    what: "with the hard fence a lost race in the range is walked over, too",
    mutation: racesWalked,
    scope: SMALL.retry,
    coveredBy: "H1",
  }),
];
