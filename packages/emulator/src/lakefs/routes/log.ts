import type { Context } from "../context.ts";
import { badRequest, within } from "../errors.ts";
import { amount, flag, pageBody } from "../http/query.ts";
import { commitBody } from "../http/shapes.ts";
import { touches, walkLog } from "../log.ts";
import type { Commit } from "../model.ts";
import type { Page } from "../pages.ts";
import { checkRef } from "../refs/names.ts";
import { resolveCommit } from "../refs/resolve.ts";
import { getRepository } from "../repositories.ts";
import { pathParam, type Request, type Routes } from "./env.ts";

interface LogQuery {
  readonly amount: number;
  /** True: `amount` is all that is wanted, and a page does not say that there is more. */
  readonly limit: boolean;
  readonly after: string | undefined;
  readonly stopAt: string | undefined;
  readonly objects: readonly string[];
  readonly prefixes: readonly string[];
}

/** The commits that can be reached from a ref. */
export function logRoute(app: Routes, context: Context): void {
  app.get("/repositories/:repository/refs/:ref/commits", (http) => {
    const limit = amount(http);
    const firstParent = flag(http, "first_parent");
    const isLimit = flag(http, "limit");
    const sinceS = since(http);
    const { name } = getRepository(context, pathParam(http, "repository"));
    const ref = pathParam(http, "ref");
    checkRef(ref);
    const start = commitIdOf(context, name, ref, "ref");
    const query: LogQuery = {
      amount: limit,
      limit: isLimit,
      stopAt: optionalCommit(context, http, name, "stop_at"),
      after: optionalCommit(context, http, name, "after"),
      objects: http.req.queries("objects") ?? [],
      prefixes: http.req.queries("prefixes") ?? [],
    };
    const commits = walkLog(context, name, { start, firstParent, sinceS });
    const page = takePage(selected(context, name, commits, query), query);
    return http.json(pageBody(page, commitBody, (commit) => commit.id));
  });
}

function since(http: Request): number | undefined {
  const value = http.req.query("since");
  if (value === undefined) return undefined;
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) throw badRequest('parameter "since" in query has an error: string is not a date-time');
  return ms / 1000;
}

function optionalCommit(context: Context, http: Request, repository: string, name: string): string | undefined {
  const ref = http.req.query(name);
  if (ref === undefined || ref === "") return undefined;
  return commitIdOf(context, repository, ref, name === "after" ? "from ref" : name);
}

function commitIdOf(context: Context, repository: string, ref: string, word: string): string {
  try {
    return resolveCommit(context, repository, ref).id;
  } catch (error) {
    throw within(word, error);
  }
}

/** The commits behind `after` that the query is about. */
function* selected(
  context: Context,
  repository: string,
  commits: Iterable<Commit>,
  query: LogQuery,
): Generator<Commit> {
  let isBehind = query.after === undefined;
  const isAboutPaths = query.objects.length + query.prefixes.length > 0;
  for (const commit of commits) {
    if (isBehind && (!isAboutPaths || touches(context, repository, commit, query))) yield commit;
    if (commit.id === query.after) isBehind = true;
  }
}

function takePage(commits: Iterable<Commit>, query: LogQuery): Page<Commit> {
  const found: Commit[] = [];
  for (const commit of commits) {
    found.push(commit);
    const isEnough = query.limit ? found.length >= query.amount : found.length > query.amount;
    if (isEnough || commit.id === query.stopAt) break;
  }
  return { results: found.slice(0, query.amount), hasMore: found.length > query.amount };
}
