import { createHash } from "node:crypto";
import type { Context } from "./context.ts";
import { LakefsError } from "./errors.ts";
import { compileGlob } from "./glob.ts";

/** The rules of a repository, and the tag that names this state of them; empty where they were never set. */
export interface ProtectionRules {
  readonly patterns: readonly string[];
  readonly etag: string;
}

/** The branch protection rules. */
export function getRules(context: Context, repository: string): ProtectionRules {
  const rows = context.db.all("SELECT pattern FROM protection WHERE repository = ? ORDER BY pattern", repository);
  const patterns = rows.map((row) => String(row["pattern"]));
  const wasSet = context.db.get("SELECT 1 FROM protection_set WHERE repository = ?", repository) !== undefined;
  return { patterns, etag: wasSet ? createHash("sha256").update(JSON.stringify(patterns)).digest("hex") : "" };
}

/** Replaces the rules; 412 where they are not those that `ifMatch` names. */
export function setRules(
  context: Context,
  repository: string,
  patterns: readonly string[],
  ifMatch: string | undefined,
): void {
  if (ifMatch !== undefined && ifMatch !== getRules(context, repository).etag) {
    throw new LakefsError(412, "Precondition failed");
  }
  context.db.run("DELETE FROM protection WHERE repository = ?", repository);
  for (const pattern of new Set(patterns)) {
    context.db.run("INSERT INTO protection (repository, pattern) VALUES (?, ?)", repository, pattern);
  }
  context.db.run("INSERT OR IGNORE INTO protection_set (repository) VALUES (?)", repository);
}

/**
 * Does a rule keep writes and commits off this branch? Merges, reverts and cherry-picks pass, as on the real server.
 */
export function isProtected(context: Context, repository: string, branch: string): boolean {
  const { patterns } = getRules(context, repository);
  return patterns.some((pattern) => compileGlob(pattern)?.test(branch) === true);
}

/** 403 where writing to the branch is not allowed. */
export function checkWritable(context: Context, repository: string, branch: string): void {
  if (isProtected(context, repository, branch)) throw new LakefsError(403, "cannot write to protected branch");
}
