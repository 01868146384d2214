import { join } from "node:path";
import { Hono } from "hono";
import type { App, AppOptions } from "../app.ts";
import { openDatabase, type Database } from "../store/database.ts";
import { authenticate, ensureUser, type LakefsCredentials } from "./auth.ts";
import { openBlobs } from "./blobs.ts";
import type { Context } from "./context.ts";
import { LakefsError, notInEmulator } from "./errors.ts";
import { createLua } from "./hooks/lua.ts";
import { openapiText, operationOf } from "./openapi.ts";
import { branchRoutes } from "./routes/branches.ts";
import { commitRoutes } from "./routes/commits.ts";
import { diffRoutes } from "./routes/diffs.ts";
import type { Env, Request, Routes } from "./routes/env.ts";
import { objectRoutes } from "./routes/objects.ts";
import { repositoryRoutes } from "./routes/repositories.ts";
import { runRoutes } from "./routes/runs.ts";
import { serverRoutes } from "./routes/server.ts";
import { stagingRoutes } from "./routes/staging.ts";
import { tagRoutes } from "./routes/tags.ts";
import { schema } from "./schema.ts";
import { openTrees, type TreeStore } from "./tree/store.ts";

export type { LakefsCredentials } from "./auth.ts";

/** The lakeFS-shaped server and how to get in. */
export interface LakefsApp extends App {
  readonly credentials: LakefsCredentials;
}

const apiPrefix = "/api/v1";

/** The lakeFS-shaped server. State is in `lakefs.db` and `objects/` of the folder. */
export function createLakefsApp(options: AppOptions, given?: LakefsCredentials): LakefsApp {
  const db = openDatabase(join(options.folder, "lakefs.db"), options.durable);
  db.exec(schema);
  const context = createContext(db, options);
  const credentials = ensureUser(db, Math.floor(options.clock.nowMs() / 1000), given);
  const app = buildRoutes(context);
  return {
    credentials,
    fetch: (request) => app.fetch(request),
    close: () => db.close(),
  };
}

function createContext(db: Database, options: AppOptions): Context {
  const opened = new Map<string, TreeStore>();
  return {
    db,
    blobs: openBlobs(join(options.folder, "objects"), options.durable),
    clock: options.clock,
    lua: createLua(),
    trees(repository) {
      const known = opened.get(repository);
      if (known !== undefined) return known;
      const made = openTrees(db, repository);
      opened.set(repository, made);
      return made;
    },
    forgetTrees: (repository) => void opened.delete(repository),
  };
}

function buildRoutes(context: Context): Routes {
  const app: Routes = new Hono<Env>({ strict: true });
  app.onError((error, http) => {
    if (error instanceof LakefsError) return answer(http, error.status, error.message);
    return answer(http, 500, error.message);
  });
  // By the clock of commits, as the real server's is.
  app.use(async (http, next) => {
    await next();
    http.header("Date", new Date(context.clock.nowMs()).toUTCString());
  });
  app.get("/openapi.json", (http) => http.body(openapiText, 200, { "Content-Type": "application/json" }));
  app.get(`${apiPrefix}/healthcheck`, (http) => http.body(null, 204));
  const api: Routes = new Hono<Env>({ strict: true });
  api.use(async (http, next) => {
    if (operationOf(http.req.method, http.req.path.slice(apiPrefix.length)) === undefined) {
      throw new LakefsError(404, "invalid API endpoint");
    }
    http.set("user", authenticate(context.db, http.req.header("authorization")));
    await next();
  });
  serverRoutes(api, context);
  repositoryRoutes(api, context);
  branchRoutes(api, context);
  commitRoutes(api, context);
  diffRoutes(api, context);
  objectRoutes(api, context);
  stagingRoutes(api, context);
  tagRoutes(api, context);
  runRoutes(api, context);
  app.route(apiPrefix, api);
  app.notFound((http) => {
    const operation = operationOf(http.req.method, http.req.path.slice(apiPrefix.length));
    const error = operation === undefined ? new LakefsError(404, "invalid API endpoint") : notInEmulator(operation);
    return answer(http, error.status, error.message);
  });
  return app;
}

function answer(http: Pick<Request, "req">, status: number, message: string): Response {
  const body = http.req.method === "HEAD" ? null : JSON.stringify({ message });
  return new Response(body, { status, headers: { "Content-Type": "application/json" } });
}
