import { sha256Of } from "../blobs.ts";
import type { Context } from "../context.ts";
import { badRequest, LakefsError } from "../errors.ts";
import { flag, path } from "../http/query.ts";
import { parseRange, rangePattern, type ByteRange } from "../http/range.ts";
import type { Entry } from "../model.ts";
import { checkRef } from "../refs/names.ts";
import { resolveRef } from "../refs/resolve.ts";
import { getRepository } from "../repositories.ts";
import { getVisible } from "../view.ts";
import { pathParam, type Request, type Routes } from "./env.ts";

const INLINE_BYTES = 256 * 1024;
const inlineTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "text/plain"]);

/** Downloads and HEAD, whole or a range. */
export function downloadRoutes(app: Routes, context: Context): void {
  app.get("/repositories/:repository/refs/:ref/objects", (http) => {
    const entry = entryOf(context, http);
    checkRange(http);
    if (http.req.method === "HEAD") return head(http, entry);
    if (flag(http, "presign")) throw new LakefsError(400, "local adapter presigned URL: operation not supported");
    if (http.req.header("if-none-match") === etagOf(entry)) return http.body(null, 304);
    return download(context, http, entry);
  });
}

function entryOf(context: Context, http: Request): Entry {
  const name = path(http);
  const repository = getRepository(context, pathParam(http, "repository"));
  checkRef(pathParam(http, "ref"));
  return getVisible(context, repository.name, resolveRef(context, repository.name, pathParam(http, "ref")), name);
}

function checkRange(http: Request): void {
  const range = http.req.header("range");
  if (range === undefined || rangePattern.test(range)) return;
  throw badRequest('parameter "Range" in header has an error: string doesn\'t match the regular expression');
}

function etagOf(entry: Entry): string {
  return `"${entry.checksum}"`;
}

function headersOf(entry: Entry): Record<string, string> {
  return {
    ETag: etagOf(entry),
    "Last-Modified": new Date(entry.mtimeS * 1000).toUTCString(),
    "Content-Type": entry.contentType,
    "Cache-Control": "no-store, must-revalidate",
    Expires: "0",
  };
}

function head(http: Request, entry: Entry): Response {
  const headers = { ...headersOf(entry), "Accept-Ranges": "bytes" };
  const wanted = http.req.header("range");
  if (wanted === undefined) return http.body(null, 200, { ...headers, "Content-Length": `${entry.sizeBytes}` });
  const range = parseRange(wanted, entry.sizeBytes);
  if (typeof range === "string") return http.body(null, 416, headers);
  return http.body(null, 206, { ...headers, ...rangeHeaders(range, entry) });
}

function rangeHeaders(range: ByteRange, entry: Entry): Record<string, string> {
  return {
    "Content-Range": `bytes ${range.start}-${range.end}/${entry.sizeBytes}`,
    "Content-Length": `${range.end - range.start + 1}`,
  };
}

function download(context: Context, http: Request, entry: Entry): Response {
  const disposition = inlineTypes.has(entry.contentType) ? "inline" : "attachment";
  const headers = { ...headersOf(entry), "Content-Disposition": disposition };
  const sha256 = sha256Of(entry.address);
  if (sha256 === undefined || !context.blobs.has(sha256)) throw new LakefsError(410, "No data");
  const wanted = http.req.header("range");
  if (wanted === undefined) {
    const whole = { start: 0, end: entry.sizeBytes - 1 };
    const body = bytesOf(context, sha256, whole, entry.sizeBytes);
    return http.newResponse(body, 200, { ...headers, "Content-Length": `${entry.sizeBytes}` });
  }
  const range = parseRange(wanted, entry.sizeBytes);
  if (typeof range === "string") {
    const size: Record<string, string> =
      range === "unsatisfiable" ? { "Content-Range": `bytes */${entry.sizeBytes}` } : {};
    return http.json({ message: "Requested Range Not Satisfiable" }, 416, {
      ...headers,
      ...size,
      "Content-Type": "application/json",
    });
  }
  return http.newResponse(bytesOf(context, sha256, range, entry.sizeBytes), 206, {
    ...headers,
    ...rangeHeaders(range, entry),
  });
}

function bytesOf(
  context: Context,
  sha256: string,
  range: ByteRange,
  sizeBytes: number,
): ReadableStream | Uint8Array<ArrayBuffer> {
  if (sizeBytes > INLINE_BYTES) return context.blobs.stream(sha256, range.start, range.end);
  const bytes = context.blobs.read(sha256);
  if (bytes === undefined) throw new LakefsError(410, "No data");
  return new Uint8Array(bytes.subarray(range.start, range.end + 1));
}
