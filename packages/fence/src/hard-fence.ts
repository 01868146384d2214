import { assert } from "./assert.ts";

/** Which target the action fences, and how far. */
export interface HardFenceTarget {
  /** The target: a plain branch name, letters, digits, `_` and `-`. */
  readonly branch: string;
  /** Also refuses merges, commits, reverts and cherry-picks that people make (rule H1). Default false. */
  readonly exclusive?: boolean;
}

/** The action as it is put on a target. */
export interface HardFenceAction {
  /** Key in the repository. */
  readonly path: string;
  readonly text: string;
  readonly version: number;
}

/** What stands on a commit where the action should be (rule H3). */
export type HardFenceState =
  /** The newest text of this package, unchanged. */
  | { readonly kind: "in_force"; readonly version: number; readonly exclusive: boolean }
  /** A text that an earlier version of this package made, unchanged: it still refuses as rule H1 says. */
  | { readonly kind: "older"; readonly version: number; readonly exclusive: boolean }
  /** A text that says it is of a later version than this package knows. */
  | { readonly kind: "newer"; readonly version: number }
  /** Somebody changed the text, or made it for another branch: nothing is known of what it does. */
  | { readonly kind: "edited" }
  | { readonly kind: "missing" };

/** Metadata key of the merge that installs the action, with the text's version. It says which head it expects, too. */
export const HARD_FENCE = "perago.hard_fence";
/** What every refusal of the action begins with. */
export const HARD_FENCE_WORDS = "perago hard fence:";
/**
 * Branches that every action covers beside its target, so that a merge onto one of them shows whether the server runs
 * the action, and the target is not touched (fault D7). The names have the form of staging branches: what a probe
 * leaves behind is swept like them.
 */
export const HARD_FENCE_PROBE_PREFIX = "perago-stg-0000000000000000-probe-0-";

const branchForm = /^\w[-\w]*$/;
const versionForm = /^# Perago hard fence, version (\d{1,6})\b/;

interface PublishedVersion {
  readonly version: number;
  readonly render: (target: Required<HardFenceTarget>) => string;
}

/**
 * Every text that was ever published, oldest first. A published text is never changed, not by a letter: it is what
 * stands on people's branches (a test holds the hash of each). A better one is a new entry.
 */
const published: readonly [PublishedVersion, ...PublishedVersion[]] = [{ version: 1, render: renderVersion1 }];

/**
 * The action that makes lakeFS refuse a merge onto an unexpected head (rule H1), for one target. The path names the
 * branch, so that a branch made from another target carries both actions beside each other. Throws a `TypeError` for a
 * name that no lakeFS branch has.
 */
export function hardFenceAction(target: HardFenceTarget): HardFenceAction {
  const newest = published.at(-1) ?? published[0];
  return { path: hardFencePath(target.branch), text: render(newest, target), version: newest.version };
}

/** Where the action of a target stands. */
export function hardFencePath(branch: string): string {
  assert(branchForm.test(branch), "not a branch name: branch");
  return `_lakefs_actions/perago-hard-fence-${branch}.yaml`;
}

/** Says what the text at `hardFencePath(branch)` is; undefined where there is none. Exact to the byte (rule H3). */
export function recogniseHardFence(text: string | undefined, branch: string): HardFenceState {
  if (text === undefined) return { kind: "missing" };
  const newest = published.at(-1) ?? published[0];
  for (const one of published) {
    for (const exclusive of [false, true]) {
      if (text !== render(one, { branch, exclusive })) continue;
      return { kind: one === newest ? "in_force" : "older", version: one.version, exclusive };
    }
  }
  const version = Number(versionForm.exec(text)?.[1] ?? 0);
  return version > newest.version ? { kind: "newer", version } : { kind: "edited" };
}

/** Whether the server refuses by a text of this state: only unchanged texts of this package count (rule H3). */
export function isHardFenceInForce(
  state: HardFenceState,
): state is Extract<HardFenceState, { kind: "in_force" | "older" }> {
  return state.kind === "in_force" || state.kind === "older";
}

function render({ render: lines }: PublishedVersion, { branch, exclusive = false }: HardFenceTarget): string {
  return lines({ branch, exclusive });
}

/** lakeFS runs Go Lua 5.2: plain syntax only. `parents[1]` is the destination's head in this try of the update. */
function renderVersion1({ branch, exclusive }: Required<HardFenceTarget>): string {
  const others = ["pre-commit", "pre-revert", "pre-cherry-pick"];
  const lines = [
    "# Perago hard fence, version 1. Made by `perago fence install`; an edited text counts as not installed.",
    `name: perago hard fence ${branch}`,
    "on:",
    "  pre-merge:",
    `    branches: ["${branch}", "perago-stg-0000000000000000-probe-0-*"]`,
    ...(exclusive ? others.flatMap((event) => [`  ${event}:`, `    branches: ["${branch}"]`]) : []),
    "hooks:",
    "  - id: expected_head",
    "    type: lua",
    "    properties:",
    "      script: |",
    ...script1(exclusive).map((line) => `        ${line}`),
  ];
  return `${lines.join("\n")}\n`;
}

function script1(exclusive: boolean): string[] {
  const onlyMerges = [
    'if action.event_type ~= "pre-merge" then',
    '  error("perago hard fence: " .. action.branch_id .. " takes merges of Perago only", 0)',
    "end",
  ];
  const onlyOurs = ["else", '  error("perago hard fence: " .. action.branch_id .. " takes merges of Perago only", 0)'];
  return [
    ...(exclusive ? onlyMerges : []),
    "local metadata = action.commit.metadata",
    'if metadata["perago.phase"] ~= nil or metadata["perago.hard_fence"] ~= nil then',
    '  local expected = metadata["perago.expected_head"]',
    "  local head = action.commit.parents[1]",
    "  if expected == nil or expected ~= head then",
    '    error("perago hard fence: the head of " .. action.branch_id .. " is " .. tostring(head)',
    '      .. ", the merge expects " .. tostring(expected), 0)',
    "  end",
    ...(exclusive ? onlyOurs : []),
    "end",
  ];
}
