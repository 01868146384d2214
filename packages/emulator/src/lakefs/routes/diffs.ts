import { getCommit } from "../commits.ts";
import type { Context } from "../context.ts";
import { badRequest, LakefsError, within } from "../errors.ts";
import { flag, listQuery, pageBody } from "../http/query.ts";
import { findMergeBase } from "../merge-base.ts";
import type { Commit } from "../model.ts";
import { listedPath, listPaths, type Listed } from "../pages.ts";
import { compareKeys } from "../keys.ts";
import { checkRef } from "../refs/names.ts";
import { resolveCommit, resolveRef } from "../refs/resolve.ts";
import { getRepository } from "../repositories.ts";
import { threeDot, twoDot, type Difference } from "../tree/compare.ts";
import { pathParam, type Routes } from "./env.ts";

/** A line of a diff as answers show it. */
export function differenceBody(line: Listed<Difference>, withRight: boolean): object {
  if ("commonPrefix" in line) return { path: line.commonPrefix, path_type: "common_prefix", type: "prefix_changed" };
  const { entry, type } = line.item;
  const right = {
    checksum: entry.checksum,
    content_type: entry.contentType,
    metadata: entry.metadata,
    mtime: entry.mtimeS,
  };
  return {
    path: line.path,
    path_type: "object",
    ...(withRight ? { right } : {}),
    size_bytes: entry.sizeBytes,
    type,
  };
}

/** Diffs between refs, and their merge base. */
export function diffRoutes(app: Routes, context: Context): void {
  app.get("/repositories/:repository/refs/:left/diff/:right", (http) => {
    const query = listQuery(http);
    const type = http.req.query("type") ?? "three_dot";
    if (type !== "two_dot" && type !== "three_dot") {
      throw badRequest('parameter "type" in query has an error: value is not one of the allowed values');
    }
    const withRight = flag(http, "include_right_stats");
    const { name } = getRepository(context, pathParam(http, "repository"));
    const [left, right] = [pathParam(http, "left"), pathParam(http, "right")];
    checkRef(left);
    checkRef(right);
    const open = type === "two_dot" ? openTwoDot(context, name, left, right) : openThreeDot(context, name, left, right);
    const page = listPaths((from) => startingAt(open(), from), query);
    return http.json(pageBody(page, (line) => differenceBody(line, withRight), listedPath));
  });
  app.get("/repositories/:repository/refs/:source/merge/:destination", (http) => {
    const { name } = getRepository(context, pathParam(http, "repository"));
    const source = namedCommit(context, name, pathParam(http, "source"), "ref");
    const destination = namedCommit(context, name, pathParam(http, "destination"), "branch");
    const base = findMergeBase(context, name, source, destination);
    if (base === undefined) throw new LakefsError(500, "no merge base");
    return http.json({
      base_commit_id: base.id,
      // The real server names the two the wrong way round.
      destination_commit_id: source.id,
      source_commit_id: destination.id,
    });
  });
}

type OpenDiff = () => Iterable<Difference>;

function openTwoDot(context: Context, repository: string, left: string, right: string): OpenDiff {
  const leftCommit = resolveCommit(context, repository, left);
  const { commitId } = resolveRef(context, repository, right);
  const { treeId } = getCommit(context.db, repository, commitId);
  return () => twoDot(context.trees(repository), leftCommit.treeId, treeId);
}

function openThreeDot(context: Context, repository: string, left: string, right: string): OpenDiff {
  const from = namedCommit(context, repository, right, "ref");
  const to = namedCommit(context, repository, left, "branch");
  const base = findMergeBase(context, repository, from, to);
  if (base === undefined) throw new LakefsError(500, "no merge base");
  return () => threeDot(context.trees(repository), to.treeId, from.treeId, base.treeId);
}

function namedCommit(context: Context, repository: string, ref: string, word: string): Commit {
  try {
    return resolveCommit(context, repository, ref);
  } catch (error) {
    throw within(`get commit by ${word} ${ref}`, error);
  }
}

function* startingAt(differences: Iterable<Difference>, from: string): Generator<Difference> {
  for (const one of differences) {
    if (compareKeys(one.path, from) >= 0) yield one;
  }
}
