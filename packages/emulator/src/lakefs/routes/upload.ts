import { newAddress } from "../blobs.ts";
import { findBranch } from "../branches.ts";
import { nowS, type Context } from "../context.ts";
import { LakefsError, notFound } from "../errors.ts";
import { contentPart } from "../http/multipart.ts";
import { flag, path } from "../http/query.ts";
import { objectBody } from "../http/shapes.ts";
import type { Entry } from "../model.ts";
import { checkWritable } from "../protection.ts";
import { checkBranchName } from "../refs/names.ts";
import { resolveRef } from "../refs/resolve.ts";
import { getRepository, getWritable } from "../repositories.ts";
import { stage } from "../staging.ts";
import { findVisible } from "../view.ts";
import { pathParam, type Request, type Routes } from "./env.ts";

const defaultContentType = "application/octet-stream";
const metadataHeader = "x-lakefs-meta-";
const internalHeader = "x-lakefs-internal-";
const internalPrefix = "::lakefs::";

/** Uploads: a raw body, or a form whose part `content` is the object. */
export function uploadRoute(app: Routes, context: Context): void {
  app.post("/repositories/:repository/branches/:branch/objects", async (http) => {
    const name = path(http);
    const force = flag(http, "force");
    const branch = pathParam(http, "branch");
    const repository = getRepository(context, pathParam(http, "repository"));
    checkBranchName(branch, "name");
    if (findBranch(context, repository.name, branch) === undefined) throw notFound(`branch '${branch}' not found`);
    const condition = conditionOf(http);
    checkCondition(context, repository.name, branch, name, condition);
    const part = await partOf(http);
    const blob = await context.blobs.write(part.content);
    const entry: Entry = {
      path: name,
      address: newAddress(blob.sha256),
      checksum: blob.md5,
      sizeBytes: blob.sizeBytes,
      mtimeS: nowS(context),
      contentType: part.contentType === "" ? defaultContentType : part.contentType,
      metadata: metadataOf(http),
    };
    context.db.transaction(() => {
      checkWritable(context, repository.name, branch);
      getWritable(context, repository.name, force);
      if (findBranch(context, repository.name, branch) === undefined) throw notFound("branch not found");
      checkCondition(context, repository.name, branch, name, condition);
      stage(context, repository.name, branch, { path: name, entry });
    });
    return http.json(objectBody(repository, entry, entry.metadata), 201);
  });
}

interface Condition {
  readonly mustBeAbsent: boolean;
  readonly checksum: string | undefined;
}

function conditionOf(http: Request): Condition {
  const none = http.req.header("if-none-match");
  if (none !== undefined && none !== "*") {
    throw new LakefsError(501, "If-None-Match of anything but * is not in the emulator, nor on the real server");
  }
  const match = http.req.header("if-match");
  return { mustBeAbsent: none === "*", checksum: match?.replaceAll(/^[\s"]+|[\s"]+$/g, "") };
}

function checkCondition(context: Context, repository: string, branch: string, name: string, want: Condition): void {
  if (!want.mustBeAbsent && want.checksum === undefined) return;
  const found = findVisible(context, repository, resolveRef(context, repository, branch), name);
  const isMet = want.mustBeAbsent ? found === undefined : found?.checksum === want.checksum;
  if (!isMet) throw new LakefsError(412, "path already exists");
}

async function partOf(http: Request): Promise<{ contentType: string; content: AsyncIterable<Uint8Array> }> {
  const contentType = http.req.header("content-type") ?? defaultContentType;
  const body: AsyncIterable<Uint8Array> = http.req.raw.body ?? emptyBody();
  if (!/^multipart\/form-data\b/i.test(contentType)) return { contentType, content: body };
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  const name = boundary?.[1] ?? boundary?.[2];
  if (name === undefined) throw new LakefsError(500, "no multipart boundary param in Content-Type");
  return contentPart(body, name);
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {
  // An upload without a body is an empty object.
}

function metadataOf(http: Request): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const [name, value] of http.req.raw.headers) {
    if (name.startsWith(metadataHeader)) metadata[name.slice(metadataHeader.length)] = value;
    else if (name.startsWith(internalHeader)) metadata[internalPrefix + name.slice(internalHeader.length)] = value;
  }
  return metadata;
}
