import { randomBytes } from "node:crypto";
import { findBranch } from "../branches.ts";
import { nowS, type Context } from "../context.ts";
import { badRequest, LakefsError, notFound, notInEmulator } from "../errors.ts";
import { readObject } from "../http/body.ts";
import { flag, path } from "../http/query.ts";
import { objectBody } from "../http/shapes.ts";
import { checkWritable } from "../protection.ts";
import { checkBranchName } from "../refs/names.ts";
import { getRepository, getWritable } from "../repositories.ts";
import { stage } from "../staging.ts";
import { pathParam, type Routes } from "./env.ts";

const ADDRESS_BYTES = 16;

/**
 * Addresses for bytes that a client brings itself. As with the real server's local storage nobody can bring them: an
 * object that is linked so has its stat, and its download is 410.
 */
export function stagingRoutes(app: Routes, context: Context): void {
  app.get("/repositories/:repository/branches/:branch/staging/backing", (http) => {
    path(http);
    const repository = getRepository(context, pathParam(http, "repository"));
    if (flag(http, "presign")) throw new LakefsError(500, "local adapter presigned URL: operation not supported");
    const address = `${repository.storageNamespace}/data/${randomBytes(ADDRESS_BYTES).toString("hex")}`;
    return http.json({ physical_address: address, presigned_url: null });
  });
  app.put("/repositories/:repository/branches/:branch/staging/backing", async (http) => {
    const name = path(http);
    const body = await readObject(http);
    const full = body.optionalObject("staging")?.optionalString("physical_address") ?? "";
    const checksum = body.string("checksum").replaceAll(/^[\s"]+|[\s"]+$/g, "");
    const repository = getRepository(context, pathParam(http, "repository"));
    const namespace = `${repository.storageNamespace}/`;
    if (!full.startsWith(`${namespace}data/`)) throw notInEmulator("an address that this server did not give");
    if (checksum === "") throw badRequest("checksum is required");
    const branch = pathParam(http, "branch");
    checkBranchName(branch);
    const entry = {
      path: name,
      address: full.slice(namespace.length),
      checksum,
      sizeBytes: body.integer("size_bytes"),
      mtimeS: body.optionalInteger("mtime") ?? nowS(context),
      contentType: body.optionalString("content_type") ?? "application/octet-stream",
      metadata: body.optionalStrings("user_metadata") ?? {},
    };
    context.db.transaction(() => {
      checkWritable(context, repository.name, branch);
      getWritable(context, repository.name, body.flag("force"));
      if (findBranch(context, repository.name, branch) === undefined) throw notFound("branch not found");
      stage(context, repository.name, branch, { path: name, entry });
    });
    return http.json(objectBody(repository, entry, entry.metadata));
  });
}
