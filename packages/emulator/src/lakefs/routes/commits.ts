import type { Context } from "../context.ts";
import { badRequest, LakefsError } from "../errors.ts";
import { readObject, readOptionalObject, type JsonBody } from "../http/body.ts";
import { commitBody } from "../http/shapes.ts";
import { commitStaged } from "../operations/commit.ts";
import { mergeIntoBranch, MergeConflict } from "../operations/merge.ts";
import { cherryPick, revertCommit } from "../operations/replay.ts";
import type { CommitOverrides, CommitRequest } from "../operations/request.ts";
import { resolveRef } from "../refs/resolve.ts";
import { getCommit } from "../commits.ts";
import { getRepository } from "../repositories.ts";
import { invalidRef } from "../refs/parse.ts";
import { pathParam, type Request, type Routes } from "./env.ts";
import { logRoute } from "./log.ts";

/** Commits: make, read, walk, merge, revert, cherry-pick. */
export function commitRoutes(app: Routes, context: Context): void {
  app.post("/repositories/:repository/branches/:branch/commits", async (http) => {
    const body = await readObject(http);
    if (http.req.query("source_metarange") !== undefined) {
      throw new LakefsError(501, "a commit of a metarange is not in the emulator: use a real lakeFS server for it");
    }
    const request = {
      ...commonOf(http, body),
      message: body.string("message"),
      metadata: body.optionalStrings("metadata") ?? {},
      dateS: body.optionalInteger("date"),
    };
    await context.lua.ready();
    return http.json(commitBody(commitStaged(context, request)), 201);
  });
  app.get("/repositories/:repository/commits/:commit", (http) => {
    const { name } = getRepository(context, pathParam(http, "repository"));
    return http.json(commitBody(getCommit(context.db, name, idOf(context, name, pathParam(http, "commit")))));
  });
  logRoute(app, context);
  mergeRoute(app, context);
  replayRoutes(app, context);
}

function mergeRoute(app: Routes, context: Context): void {
  app.post("/repositories/:repository/refs/:source/merge/:branch", async (http) => {
    const body = await readOptionalObject(http);
    const request = {
      ...commonOf(http, body),
      source: pathParam(http, "source"),
      message: body.optionalString("message") ?? "",
      metadata: body.optionalStrings("metadata") ?? {},
      strategy: body.optionalString("strategy") ?? "",
      squash: body.flag("squash_merge"),
    };
    await context.lua.ready();
    try {
      return http.json({ reference: mergeIntoBranch(context, request) });
    } catch (error) {
      // The real server answers a conflict with a merge result, not with an error.
      if (error instanceof MergeConflict) return http.json({ reference: "" }, 409);
      throw error;
    }
  });
}

function replayRoutes(app: Routes, context: Context): void {
  app.post("/repositories/:repository/branches/:branch/revert", async (http) => {
    const body = await readObject(http);
    const request = {
      ...commonOf(http, body),
      ref: body.string("ref"),
      parentNumber: body.integer("parent_number"),
      overrides: overridesOf(body),
    };
    if (request.parentNumber < 0) throw badRequest("argument parentNumber: invalid value: validation error");
    await context.lua.ready();
    revertCommit(context, request);
    return http.body(null, 204);
  });
  app.post("/repositories/:repository/branches/:branch/cherry-pick", async (http) => {
    const body = await readObject(http);
    const request = {
      ...commonOf(http, body),
      ref: body.string("ref"),
      parentNumber: body.optionalInteger("parent_number"),
      overrides: overridesOf(body),
    };
    if ((request.parentNumber ?? 1) < 1) throw badRequest("argument parentNumber: invalid value: validation error");
    await context.lua.ready();
    return http.json(commitBody(cherryPick(context, request)), 201);
  });
}

function commonOf(http: Request, body: JsonBody): CommitRequest {
  return {
    repository: pathParam(http, "repository"),
    branch: pathParam(http, "branch"),
    committer: http.get("user").name,
    allowEmpty: body.flag("allow_empty"),
    force: body.flag("force"),
  };
}

function overridesOf(body: JsonBody): CommitOverrides {
  const overrides = body.optionalObject("commit_overrides");
  const message = overrides?.optionalString("message");
  return { message: message === "" ? undefined : message, metadata: overrides?.optionalStrings("metadata") };
}

/**
 * This read says "commit not found" for whatever is missing, and 500 for a ref that can be none, as the real server.
 */
function idOf(context: Context, repository: string, ref: string): string {
  try {
    const resolved = resolveRef(context, repository, ref);
    if (resolved.isStaging) throw invalidRef("should point to a commit");
    return resolved.commitId;
  } catch (error) {
    if (!(error instanceof LakefsError)) throw error;
    if (error.status === 404) throw new LakefsError(404, "commit not found");
    throw new LakefsError(500, error.message);
  }
}
