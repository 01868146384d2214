import { findCommit, findCommitByPrefix, getCommit } from "../commits.ts";
import type { Context } from "../context.ts";
import { badRequest, notFound } from "../errors.ts";
import type { Commit } from "../model.ts";
import { findBranch } from "../branches.ts";
import { invalidRef, parseRef, type RefModifier } from "./parse.ts";

/** What a ref leads to. */
export interface ResolvedRef {
  readonly commitId: string;
  /** The branch whose uncommitted changes are seen through this ref. */
  readonly branch: string | undefined;
  /** `branch$`: the staging area itself, which is no commit. */
  readonly isStaging: boolean;
}

const hashPattern = /^[a-fA-F0-9]{1,64}$/;
const COMMIT_ID_LENGTH = 64;

/** Resolves a ref: full commit id, branch, tag, short commit id, with modifiers. 404 where it leads nowhere. */
export function resolveRef(context: Context, repository: string, ref: string): ResolvedRef {
  const { base, modifiers } = parseRef(ref);
  const start = resolveBase(context, repository, base);
  const [first] = modifiers;
  if (first === undefined) return start;
  if (first.kind === "committed" || first.kind === "staging") {
    if (start.branch === undefined || modifiers.length > 1) throw invalidRef();
    return first.kind === "staging" ? { ...start, isStaging: true } : { ...start, branch: undefined };
  }
  let commit = getCommit(context.db, repository, start.commitId);
  for (const modifier of modifiers) commit = step(context, repository, commit, modifier);
  return { commitId: commit.id, branch: undefined, isStaging: false };
}

/** The commit that a ref leads to; 400 for a staging area. */
export function resolveCommit(context: Context, repository: string, ref: string): Commit {
  const resolved = resolveRef(context, repository, ref);
  if (resolved.isStaging) throw badRequest(`reference '${ref}': reference to staging area with $ is not a commit`);
  return getCommit(context.db, repository, resolved.commitId);
}

function resolveBase(context: Context, repository: string, base: string): ResolvedRef {
  const { db } = context;
  if (base.length === COMMIT_ID_LENGTH && hashPattern.test(base) && findCommit(db, repository, base) !== undefined) {
    return { commitId: base, branch: undefined, isStaging: false };
  }
  const branch = findBranch(context, repository, base);
  if (branch !== undefined) return { commitId: branch.commitId, branch: base, isStaging: false };
  const tag = db.get("SELECT commit_id FROM tags WHERE repository = ? AND name = ?", repository, base);
  if (tag !== undefined) return { commitId: String(tag["commit_id"]), branch: undefined, isStaging: false };
  const commit = hashPattern.test(base) ? findCommitByPrefix(db, repository, base) : undefined;
  if (commit === undefined) throw notFound("not found");
  return { commitId: commit.id, branch: undefined, isStaging: false };
}

function step(context: Context, repository: string, from: Commit, modifier: RefModifier): Commit {
  let commit = from;
  switch (modifier.kind) {
    case "ancestor":
      // Bounded by the length of the history: a commit without parents ends it.
      for (let steps = 0; steps < modifier.steps; steps += 1) {
        const [parent] = commit.parents;
        if (parent === undefined) throw notFound("not found");
        commit = getCommit(context.db, repository, parent);
      }
      return commit;
    case "parent": {
      if (modifier.number === 0) return commit;
      const parent = commit.parents[modifier.number - 1];
      if (parent === undefined) throw invalidRef();
      return getCommit(context.db, repository, parent);
    }
    case "committed":
    case "staging":
      throw invalidRef();
  }
}
