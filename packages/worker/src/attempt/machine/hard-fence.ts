import { isHardFenceInForce } from "@perago/fence/hard-fence";
import type { Failure } from "../../failure.ts";
import type { HardFenceReading } from "../ports/target-store.ts";
import { fail, failure } from "./ending.ts";
import { readyToMerge } from "./staging.ts";
import type { Note, Phase, WorkspaceInput } from "./state.ts";

/**
 * Rule H3: lakeFS takes actions from the source of a merge, so what the target carries is not enough. In force: hard;
 * else, by rule H2, soft and said so, or refused.
 */
export const verifyHardFence: Phase<"verifyHardFence"> = {
  ask: ({ input, stagingCommit }) => ({
    repository: input.repository,
    branch: input.branch,
    commitId: stagingCommit,
  }),
  answered(state, reading) {
    if (isInForce(reading)) return { next: readyToMerge(state, "hard") };
    const { facts, input, stagingCommit } = state;
    if (facts.hardFence === "required") return fail(state, hardFenceRequired(input, stagingCommit, reading));
    const message = `the soft fence holds on ${targetOf(input)}: ${what(reading)} | ${mend(input, reading)}`;
    const note: Note = { name: "soft_fence", message };
    return { next: readyToMerge(state, "soft"), notes: [note] };
  },
};

/** Whether the server refuses merges onto an unexpected head by what was read; nothing read is no. */
export function isInForce(
  reading: HardFenceReading | undefined,
): reading is Extract<HardFenceReading, { kind: "in_force" | "older" }> {
  if (reading === undefined || reading.kind === "not_enforced" || reading.kind === "unproven") return false;
  return isHardFenceInForce(reading);
}

/** Rule H2, `required`: the publish fence accepts no head without the hard one. */
export function hardFenceRequired(
  input: WorkspaceInput,
  commitId: string,
  reading: HardFenceReading | undefined,
): Failure {
  const why = `PERAGO_HARD_FENCE is required, and ${what(reading)} (commit ${commitId})`;
  const message = `rule H2 refuses ${targetOf(input)}: ${why}`;
  return failure("publish_fence", message, `${mend(input, reading)}, then start a new workflow from the new head`);
}

const words: Readonly<Record<Exclude<HardFenceReading["kind"], "in_force" | "older">, string>> = {
  newer: "the hard fence is of a later version than this host knows",
  edited: "the action of the hard fence was edited",
  missing: "the hard fence is not installed",
  not_enforced: "the hard fence is installed, but the server does not run it",
  unproven: "it could not be tried whether the server runs the hard fence",
};

function what(reading: HardFenceReading | undefined): string {
  if (reading?.kind === "unproven") return `${words.unproven}: ${reading.why}`;
  return reading === undefined || isInForce(reading) ? "the hard fence was not read" : words[reading.kind];
}

function mend({ repository, branch }: WorkspaceInput, reading: HardFenceReading | undefined): string {
  if (reading?.kind === "not_enforced") return "set actions.enabled in the settings of lakeFS";
  if (reading?.kind === "newer") return "update this host";
  if (reading?.kind === "unproven") return `perago fence verify lakefs://${repository}/${branch}`;
  return `perago fence install lakefs://${repository}/${branch}`;
}

function targetOf({ repository, branch }: WorkspaceInput): string {
  return `${repository}/${branch}`;
}
