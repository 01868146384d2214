import type { FuzzTarget } from "../kit/target.ts";
import { metadataTarget, publishFenceTarget } from "./commits.ts";
import { conductorAnswerTarget } from "./conductor-answers.ts";
import { polledTaskTarget, taskInputTarget } from "./input.ts";
import { lakefsAnswerTarget } from "./lakefs-answers.ts";
import { describeMessageTarget, executorMessageTarget } from "./messages.ts";
import { modulePathTarget } from "./module-path.ts";
import { listingTarget, prefixTarget } from "./names.ts";
import { dotenvTarget, settingsTarget, unitsTarget } from "./settings.ts";
import { cleanMessageTarget, logTarget, reasonTarget, redactionTarget } from "./texts.ts";

/** Everything that is fuzzed. */
export const TARGETS: readonly FuzzTarget[] = [
  taskInputTarget(),
  polledTaskTarget(),
  metadataTarget(),
  publishFenceTarget(),
  prefixTarget(),
  listingTarget(),
  executorMessageTarget(),
  describeMessageTarget(),
  unitsTarget(),
  settingsTarget(),
  dotenvTarget(),
  modulePathTarget(),
  redactionTarget(),
  cleanMessageTarget(),
  reasonTarget(),
  logTarget(),
  lakefsAnswerTarget(),
  conductorAnswerTarget(),
];

/** The cases of a run, dealt to the targets by their shares; each gets at least one. */
export function dealCases(
  targets: readonly FuzzTarget[],
  caseCount: number,
): readonly { readonly target: FuzzTarget; readonly caseCount: number }[] {
  const whole = targets.reduce((sum, { share }) => sum + share, 0);
  return targets.map((target) => ({ target, caseCount: Math.max(1, Math.ceil((caseCount * target.share) / whole)) }));
}
