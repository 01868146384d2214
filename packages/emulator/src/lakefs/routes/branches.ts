import { deleteBranch, getBranch, insertBranch, listBranches, moveBranch } from "../branches.ts";
import type { Context } from "../context.ts";
import { badRequest, LakefsError, within } from "../errors.ts";
import { noCommit, type HookRecord } from "../hooks/events.ts";
import { readObject } from "../http/body.ts";
import { amount, flag, listQuery, pageBody, text } from "../http/query.ts";
import { guarded, runAfter, runEvent } from "../operations/guarded.ts";
import { cutPage, listedPath, listPaths } from "../pages.ts";
import { checkWritable, isProtected } from "../protection.ts";
import { checkBranchName, checkRef } from "../refs/names.ts";
import { resolveCommit, resolveRef } from "../refs/resolve.ts";
import { getRepository, getWritable } from "../repositories.ts";
import { uncommitted, unstage } from "../staging.ts";
import type { Branch, Repository } from "../model.ts";
import { differenceBody } from "./diffs.ts";
import { pathParam, type Request, type Routes } from "./env.ts";

const refBody = (branch: Branch): object => ({ commit_id: branch.commitId, id: branch.name });

/** Branches: make, read, list, delete, forget what is staged, show what is staged. */
export function branchRoutes(app: Routes, context: Context): void {
  app.get("/repositories/:repository/branches", (http) => {
    const limit = amount(http);
    const { name } = getRepository(context, pathParam(http, "repository"));
    const branches = listBranches(context, name, {
      prefix: text(http, "prefix"),
      after: text(http, "after"),
      showHidden: flag(http, "show_hidden"),
      limit: limit + 1,
    });
    return http.json(pageBody(cutPage(branches, limit), refBody, (one) => one.name));
  });
  app.post("/repositories/:repository/branches", async (http) => {
    const body = await readObject(http);
    const wish = { name: body.string("name"), source: body.string("source"), hidden: body.flag("hidden") };
    await context.lua.ready();
    const commitId = createBranch(context, http, wish, body.flag("force"));
    return http.body(commitId, 201, { "Content-Type": "text/plain; charset=utf-8" });
  });
  app.get("/repositories/:repository/branches/:branch", (http) => {
    const name = pathParam(http, "branch");
    checkBranchName(name);
    const repository = getRepository(context, pathParam(http, "repository"));
    return http.json(refBody(getBranch(context, repository.name, name)));
  });
  app.delete("/repositories/:repository/branches/:branch", async (http) => {
    checkBranchName(pathParam(http, "branch"), "name");
    await context.lua.ready();
    removeBranch(context, http);
    return http.body(null, 204);
  });
  app.put("/repositories/:repository/branches/:branch", async (http) => {
    const body = await readObject(http);
    const type = body.oneOf("type", ["object", "common_prefix", "reset"]);
    const path = body.optionalString("path") ?? "";
    if (type === "object" && path === "") throw badRequest("argument path: required value: validation error");
    const repository = getRepository(context, pathParam(http, "repository"));
    const name = pathParam(http, "branch");
    checkBranchName(name);
    context.db.transaction(() => {
      checkWritable(context, repository.name, name);
      getWritable(context, repository.name, body.flag("force"));
      getBranch(context, repository.name, name);
      unstage(context, repository.name, name, type === "object" ? { path } : { prefix: type === "reset" ? "" : path });
    });
    return http.body(null, 204);
  });
  app.put("/repositories/:repository/branches/:branch/hard_reset", (http) => {
    hardReset(context, http);
    return http.body(null, 204);
  });
  app.get("/repositories/:repository/branches/:branch/diff", (http) => {
    const query = listQuery(http);
    const repository = getRepository(context, pathParam(http, "repository"));
    const name = pathParam(http, "branch");
    checkBranchName(name);
    const branch = getBranch(context, repository.name, name);
    const page = listPaths((from) => uncommitted(context, repository.name, branch, from), query);
    return http.json(pageBody(page, (line) => differenceBody(line, false), listedPath));
  });
}

interface BranchWish {
  readonly name: string;
  readonly source: string;
  readonly hidden: boolean;
}

function createBranch(context: Context, http: Request, wish: BranchWish, force: boolean): string {
  const hint = "branch id must consist of letters, digits, underscores and dashes, and cannot start with a dash";
  try {
    checkBranchName(wish.name);
  } catch (error) {
    throw error instanceof LakefsError ? badRequest(`${error.message}: ${hint}`) : error;
  }
  checkRef(wish.source);
  return guarded(context, () => {
    const repository = getWritable(context, pathParam(http, "repository"), force);
    const source = sourceOf(context, repository, wish.source);
    if (source.isStaging) {
      throw new LakefsError(500, `source reference '${wish.source}': can't create a branch without commit`);
    }
    const event = branchEvent(http, repository, wish.name, { sourceRef: wish.source, commitId: source.commitId });
    const preRunId = runEvent(context, { ...event, event: "pre-create-branch" });
    insertBranch(context, repository.name, { name: wish.name, commitId: source.commitId, hidden: wish.hidden });
    runAfter(context, { ...event, event: "post-create-branch", preRunId });
    return source.commitId;
  });
}

function sourceOf(context: Context, repository: Repository, source: string): ReturnType<typeof resolveRef> {
  try {
    return resolveRef(context, repository.name, source);
  } catch (error) {
    throw within(`source reference '${source}'`, error);
  }
}

function removeBranch(context: Context, http: Request): void {
  const name = pathParam(http, "branch");
  const force = flag(http, "force");
  guarded(context, () => {
    const repository = getWritable(context, pathParam(http, "repository"), force);
    if (repository.defaultBranch === name) throw new LakefsError(403, "cannot delete repository default branch");
    const { commitId } = getBranch(context, repository.name, name);
    const event = branchEvent(http, repository, name, { sourceRef: commitId, commitId: "" });
    const preRunId = runEvent(context, { ...event, event: "pre-delete-branch" });
    deleteBranch(context, repository.name, name);
    runAfter(context, { ...event, event: "post-delete-branch", preRunId });
  });
}

/** Points a branch at another commit; what is staged stays. */
function hardReset(context: Context, http: Request): void {
  const ref = http.req.query("ref");
  const force = flag(http, "force");
  if (ref === undefined) throw badRequest('parameter "ref" in query has an error: value is required but missing');
  const name = pathParam(http, "branch");
  checkBranchName(name);
  checkRef(ref);
  context.db.transaction(() => {
    const repository = getRepository(context, pathParam(http, "repository"));
    if (isProtected(context, repository.name, name)) throw new LakefsError(403, "protected branch");
    getWritable(context, repository.name, force);
    getBranch(context, repository.name, name);
    try {
      moveBranch(context, repository.name, name, resolveCommit(context, repository.name, ref).id);
    } catch (error) {
      throw within(`hard-reset ${name} to ${ref}`, error);
    }
  });
}

function branchEvent(
  http: Request,
  repository: Repository,
  branch: string,
  refs: Pick<HookRecord, "sourceRef" | "commitId">,
): Omit<Parameters<typeof runEvent>[1], "event"> {
  return { repository, branch, mergeSource: "", username: http.get("user").name, commit: noCommit, ...refs };
}
