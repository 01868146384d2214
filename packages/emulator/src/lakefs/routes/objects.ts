import { findBranch, getBranch } from "../branches.ts";
import type { Context } from "../context.ts";
import { badRequest, LakefsError, notFound } from "../errors.ts";
import { readObject } from "../http/body.ts";
import { flag, listQuery, pageBody, path } from "../http/query.ts";
import { objectBody } from "../http/shapes.ts";
import { listedPath, listPaths } from "../pages.ts";
import { checkWritable } from "../protection.ts";
import { checkBranchName, checkRef } from "../refs/names.ts";
import { resolveRef } from "../refs/resolve.ts";
import { getRepository, getWritable } from "../repositories.ts";
import { stage } from "../staging.ts";
import { findVisible, getVisible, visibleFrom } from "../view.ts";
import { downloadRoutes } from "./download.ts";
import { pathParam, type Request, type Routes } from "./env.ts";
import { uploadRoute } from "./upload.ts";

const MAX_DELETED_PATHS = 1_000;

/** Objects: upload, download, stat, list, delete, user metadata. */
export function objectRoutes(app: Routes, context: Context): void {
  uploadRoute(app, context);
  downloadRoutes(app, context);
  app.get("/repositories/:repository/refs/:ref/objects/ls", (http) => {
    const query = listQuery(http);
    const withMetadata = flag(http, "user_metadata", true);
    if (flag(http, "presign")) throw new LakefsError(400, "local adapter presigned URL: operation not supported");
    const repository = getRepository(context, pathParam(http, "repository"));
    checkRef(pathParam(http, "ref"));
    const ref = resolveRef(context, repository.name, pathParam(http, "ref"));
    const page = listPaths((from) => visibleFrom(context, repository.name, ref, from), query);
    const show = (line: (typeof page.results)[number]): object => {
      if ("commonPrefix" in line) {
        const { commonPrefix } = line;
        return { checksum: "", mtime: 0, path: commonPrefix, path_type: "common_prefix", physical_address: "" };
      }
      const { metadata } = line.item;
      const isShown = withMetadata && Object.keys(metadata).length > 0;
      return objectBody(repository, line.item, isShown ? metadata : undefined);
    };
    return http.json(pageBody(page, show, listedPath));
  });
  app.get("/repositories/:repository/refs/:ref/objects/stat", (http) => {
    const name = path(http);
    const withMetadata = flag(http, "user_metadata", true);
    if (flag(http, "presign")) throw new LakefsError(400, "local adapter presigned URL: operation not supported");
    const repository = getRepository(context, pathParam(http, "repository"));
    checkRef(pathParam(http, "ref"));
    const ref = resolveRef(context, repository.name, pathParam(http, "ref"));
    const entry = getVisible(context, repository.name, ref, name);
    return http.json(objectBody(repository, entry, withMetadata ? entry.metadata : {}));
  });
  app.put("/repositories/:repository/branches/:branch/objects/stat/user_metadata", async (http) => {
    const name = path(http);
    const body = await readObject(http);
    const metadata = body.optionalStrings("set");
    if (metadata === undefined) throw badRequest('request body has an error: property "set" is missing');
    setMetadata(context, http, name, metadata);
    return http.body(null, 204);
  });
  deleteRoutes(app, context);
}

function setMetadata(context: Context, http: Request, name: string, metadata: Record<string, string>): void {
  const branch = pathParam(http, "branch");
  checkBranchName(branch);
  context.db.transaction(() => {
    const repository = getRepository(context, pathParam(http, "repository"));
    checkWritable(context, repository.name, branch);
    getWritable(context, repository.name, false);
    getBranch(context, repository.name, branch);
    const ref = resolveRef(context, repository.name, branch);
    const entry = findVisible(context, repository.name, ref, name);
    if (entry === undefined) {
      throw notFound(`update user metadata on ${repository.name}/${branch}/${name}: not found`);
    }
    stage(context, repository.name, branch, { path: name, entry: { ...entry, metadata } });
  });
}

function deleteRoutes(app: Routes, context: Context): void {
  app.delete("/repositories/:repository/branches/:branch/objects", (http) => {
    const name = path(http);
    const force = flag(http, "force");
    const branch = pathParam(http, "branch");
    checkBranchName(branch);
    const repository = getRepository(context, pathParam(http, "repository"));
    context.db.transaction(() => removePaths(context, { repository: repository.name, branch, paths: [name], force }));
    return http.body(null, 204);
  });
  app.post("/repositories/:repository/branches/:branch/objects/delete", async (http) => {
    const force = flag(http, "force");
    const paths = (await readObject(http)).list("paths");
    if (paths.length > MAX_DELETED_PATHS) {
      throw badRequest(`request size exceeded, max paths is set to ${MAX_DELETED_PATHS}`);
    }
    return http.json({ errors: deleteMany(context, http, paths, force) });
  });
}

/** Deletes many; what refuses all of them is said for each path, as on the real server. */
function deleteMany(context: Context, http: Request, paths: readonly string[], force: boolean): object[] {
  const branch = pathParam(http, "branch");
  const repository = pathParam(http, "repository");
  try {
    checkBranchName(branch);
    const named = paths.filter((one) => one !== "");
    context.db.transaction(() => removePaths(context, { repository, branch, paths: named, force }));
    return [];
  } catch (error) {
    if (!(error instanceof LakefsError)) throw error;
    // What is not there need not be deleted; the real server says so for missing repositories and branches too.
    if (error.status === 404) return [];
    const status = error.status === 403 ? 403 : 500;
    return paths.map((one) => ({ message: error.message, path: one, status_code: status }));
  }
}

interface Removal {
  readonly repository: string;
  readonly branch: string;
  readonly paths: readonly string[];
  readonly force: boolean;
}

function removePaths(context: Context, removal: Removal): void {
  const { repository, branch } = removal;
  getRepository(context, repository);
  checkWritable(context, repository, branch);
  getWritable(context, repository, removal.force);
  if (findBranch(context, repository, branch) === undefined) throw notFound("branch not found");
  const ref = resolveRef(context, repository, branch);
  for (const one of removal.paths) {
    if (findVisible(context, repository, ref, one) === undefined) continue;
    stage(context, repository, branch, { path: one, entry: null });
  }
}
