import { findBranch } from "../branches.ts";
import { findCommit } from "../commits.ts";
import type { Context } from "../context.ts";
import { LakefsError, notFound } from "../errors.ts";
import { readObject } from "../http/body.ts";
import { amount, flag, pageBody, text } from "../http/query.ts";
import { cutPage } from "../pages.ts";
import { checkRef, checkTagName } from "../refs/names.ts";
import { resolveCommit } from "../refs/resolve.ts";
import { getRepository, getWritable } from "../repositories.ts";
import { pathParam, type Routes } from "./env.ts";

interface Tag {
  readonly name: string;
  readonly commitId: string;
}

const tagBody = (tag: Tag): object => ({ commit_id: tag.commitId, id: tag.name });

/** Tags. Their hooks are not run. */
export function tagRoutes(app: Routes, context: Context): void {
  app.get("/repositories/:repository/tags", (http) => {
    const limit = amount(http);
    const { name } = getRepository(context, pathParam(http, "repository"));
    const rows = context.db.all(
      "SELECT name, commit_id FROM tags WHERE repository = ? AND name > ? ORDER BY name",
      name,
      text(http, "after"),
    );
    const tags = rows.map((row) => ({ name: String(row["name"]), commitId: String(row["commit_id"]) }));
    const page = cutPage(
      tags.filter((tag) => tag.name.startsWith(text(http, "prefix"))),
      limit,
    );
    return http.json(pageBody(page, tagBody, (tag) => tag.name));
  });
  app.post("/repositories/:repository/tags", async (http) => {
    const body = await readObject(http);
    const tag = { name: body.string("id"), ref: body.string("ref"), force: body.flag("force") };
    return http.json(tagBody(createTag(context, pathParam(http, "repository"), tag)), 201);
  });
  app.get("/repositories/:repository/tags/:tag", (http) => {
    const { name } = getRepository(context, pathParam(http, "repository"));
    return http.json(tagBody(getTag(context, name, pathParam(http, "tag"))));
  });
  app.delete("/repositories/:repository/tags/:tag", (http) => {
    const { name } = getWritable(context, pathParam(http, "repository"), flag(http, "force"));
    const tag = getTag(context, name, pathParam(http, "tag"));
    context.db.run("DELETE FROM tags WHERE repository = ? AND name = ?", name, tag.name);
    return http.body(null, 204);
  });
}

function getTag(context: Context, repository: string, name: string): Tag {
  checkTagName(name);
  const row = context.db.get("SELECT commit_id FROM tags WHERE repository = ? AND name = ?", repository, name);
  if (row === undefined) throw notFound("tag not found");
  return { name, commitId: String(row["commit_id"]) };
}

function createTag(context: Context, repository: string, wish: { name: string; ref: string; force: boolean }): Tag {
  checkTagName(wish.name);
  checkRef(wish.ref);
  return context.db.transaction(() => {
    const { name } = getWritable(context, repository, wish.force);
    const commit = resolveCommit(context, name, wish.ref);
    if (context.db.get("SELECT 1 FROM tags WHERE repository = ? AND name = ?", name, wish.name) !== undefined) {
      throw new LakefsError(409, "tag already exists: not unique");
    }
    if (findBranch(context, name, wish.name) !== undefined || findCommit(context.db, name, wish.name) !== undefined) {
      throw new LakefsError(409, `ID ${wish.name}: conflict found`);
    }
    context.db.run("INSERT INTO tags (repository, name, commit_id) VALUES (?, ?, ?)", name, wish.name, commit.id);
    return { name: wish.name, commitId: commit.id };
  });
}
