import { randomBytes } from "node:crypto";
import { findBranch } from "../branches.ts";
import { nowS, type Context } from "../context.ts";
import { badRequest, LakefsError, notFound } from "../errors.ts";
import { readObject, type JsonBody } from "../http/body.ts";
import { flag, path } from "../http/query.ts";
import { objectBody } from "../http/shapes.ts";
import type { Entry } from "../model.ts";
import { checkWritable } from "../protection.ts";
import { checkBranchName } from "../refs/names.ts";
import { getRepository, getWritable } from "../repositories.ts";
import { stage } from "../staging.ts";
import { pathParam, type Request, type Routes } from "./env.ts";

const ADDRESS_BYTES = 16;

/** Staging of objects whose bytes are elsewhere. The local storage has no presigned addresses, as the real one. */
export function stagingRoutes(app: Routes, context: Context): void {
  app.get("/repositories/:repository/branches/:branch/staging/backing", (http) => {
    path(http);
    const repository = getRepository(context, pathParam(http, "repository"));
    if (flag(http, "presign")) throw new LakefsError(500, "local adapter presigned URL: operation not supported");
    const address = `${repository.storageNamespace}/data/${randomBytes(ADDRESS_BYTES).toString("hex")}`;
    return http.json({ physical_address: address, presigned_url: null });
  });
  app.put("/repositories/:repository/branches/:branch/staging/backing", async (http) => {
    path(http);
    const body = await readObject(http);
    const address = body.optionalObject("staging")?.optionalString("physical_address") ?? "";
    const metadata = body.optionalStrings("user_metadata") ?? {};
    return http.json(stageAddress(context, http, body, { address, metadata }));
  });
  app.put("/repositories/:repository/branches/:branch/objects", async (http) => {
    path(http);
    if (http.req.header("content-type")?.startsWith("application/json") !== true) {
      throw badRequest("request body has an error: header Content-Type has unexpected value");
    }
    const body = await readObject(http);
    const address = body.string("physical_address");
    if (!address.startsWith("local://")) throw badRequest("physical address is not valid for block adapter: local");
    const metadata = body.optionalStrings("metadata") ?? {};
    return http.json(stageAddress(context, http, body, { address, metadata }), 201);
  });
}

function stageAddress(
  context: Context,
  http: Request,
  body: JsonBody,
  given: Pick<Entry, "address" | "metadata">,
): object {
  const checksum = body.string("checksum").replaceAll(/^[\s"]+|[\s"]+$/g, "");
  const repository = getRepository(context, pathParam(http, "repository"));
  if (given.address.startsWith(`${repository.storageNamespace}/data/`)) throw badRequest("link address invalid");
  if (checksum === "") throw badRequest("checksum is required");
  const branch = pathParam(http, "branch");
  checkBranchName(branch);
  const entry: Entry = {
    ...given,
    path: path(http),
    checksum,
    sizeBytes: body.integer("size_bytes"),
    mtimeS: body.optionalInteger("mtime") ?? nowS(context),
    contentType: body.optionalString("content_type") ?? "application/octet-stream",
  };
  context.db.transaction(() => {
    checkWritable(context, repository.name, branch);
    getWritable(context, repository.name, body.flag("force"));
    if (findBranch(context, repository.name, branch) === undefined) throw notFound("branch not found");
    stage(context, repository.name, branch, { path: entry.path, entry });
  });
  return objectBody(repository, entry, entry.metadata);
}
