import type { BodySource, HttpClient } from "./http.ts";
import { collectPages, maxPageEntryCount, walkPages } from "./pages.ts";
import type { ReceiverSource } from "./receiver.ts";
import { objectErrorsOf, objectStatsOf, pageOf } from "./shapes.ts";
import type { CallOptions, ObjectError, ObjectStats, Page } from "./types.ts";
import { uploadShape, type ObjectAttributes } from "./upload-shape.ts";

/** Paths that one `deleteObjects` call takes at most. */
export const maxDeletePathCount = 1000;

/** lakeFS `listObjects` below a prefix, page by page, in key order (case B12). */
export function listObjects(
  http: HttpClient,
  repository: string,
  ref: string,
  prefix: string,
  options: CallOptions = {},
): AsyncGenerator<readonly ObjectStats[]> {
  const segments = ["repositories", repository, "refs", ref, "objects", "ls"];
  const fetchPage = (after: string): Promise<Page<ObjectStats>> => {
    const query = { prefix, after, amount: maxPageEntryCount };
    const spec = { operation: "listObjects", method: "GET", segments, query, repeat: "safe" } as const;
    return http.json(spec, options, (value) => pageOf(value, objectStatsOf));
  };
  return walkPages("listObjects", `${repository}/${ref}/${prefix}`, fetchPage, { ahead: true });
}

/** lakeFS `statObject`. */
export function statObject(
  http: HttpClient,
  repository: string,
  ref: string,
  path: string,
  options: CallOptions = {},
): Promise<ObjectStats> {
  const segments = ["repositories", repository, "refs", ref, "objects", "stat"];
  const subject = `${repository}/${ref}/${path}`;
  const spec = { operation: "statObject", method: "GET", segments, query: { path }, subject, repeat: "safe" } as const;
  return http.json(spec, options, objectStatsOf);
}

/** lakeFS `statObject` with a presigned address to read the object by. */
export function presignedReadAddress(http: HttpClient, where: ObjectPlace, options: CallOptions = {}): Promise<string> {
  const { repository, ref, path } = where;
  const segments = ["repositories", repository, "refs", ref, "objects", "stat"];
  const [query, subject] = [{ path, presign: true }, `${repository}/${ref}/${path}`];
  const spec = { operation: "statObject", method: "GET", segments, query, subject, repeat: "safe" } as const;
  return http.json(spec, options, (value) => objectStatsOf(value).physical_address);
}

/** Which bytes `getObject` asks for; both ends included. */
export interface ByteRange {
  readonly firstByte: number;
  readonly lastByte: number;
}

/** Where an object is, and which part of it is wanted; default the whole. */
export interface ObjectPlace {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
  readonly range?: ByteRange;
}

/**
 * lakeFS `getObject`: hands the bytes to a receiver as they come; another try gets a new receiver. No time limit of its
 * own but the connection's silence limit.
 */
export function getObject<T>(
  http: HttpClient,
  where: ObjectPlace,
  options: CallOptions,
  open: ReceiverSource<T>,
): Promise<T> {
  const { repository, ref, path, range } = where;
  const segments = ["repositories", repository, "refs", ref, "objects"];
  const headers: Record<string, string> = { accept: "*/*" };
  if (range !== undefined) headers["range"] = `bytes=${range.firstByte}-${range.lastByte}`;
  const subject = `${repository}/${ref}/${path}`;
  const query = { path };
  const spec = { operation: "getObject", method: "GET", segments, query, headers, subject, repeat: "safe" } as const;
  return http.receive(spec, options, open);
}

/** An upload: where to, what, and what the object's record says. */
export interface Upload {
  readonly repository: string;
  readonly branch: string;
  readonly path: string;
  readonly source: BodySource;
  readonly attributes: ObjectAttributes;
}

/**
 * lakeFS `uploadObject`: streams the source, which is opened again for another try. Content type and user metadata are
 * kept exactly (rule T12), also those that no header can carry.
 */
export async function uploadObject(http: HttpClient, upload: Upload, options: CallOptions = {}): Promise<ObjectStats> {
  const { repository, branch, path } = upload;
  const shape = uploadShape(upload.source, upload.attributes);
  const spec = {
    operation: "uploadObject",
    method: "POST",
    segments: ["repositories", repository, "branches", branch, "objects"],
    query: { path },
    headers: shape.headers,
    body: shape.body,
    subject: `${repository}/${branch}/${path}`,
    repeat: "safe",
  } as const;
  const stats = await http.json(spec, { timeoutMs: Infinity, ...options }, objectStatsOf);
  if (shape.metadataAfter === undefined) return stats;
  await updateObjectUserMetadata(http, upload, shape.metadataAfter, options);
  return { ...stats, metadata: shape.metadataAfter };
}

/** lakeFS `updateObjectUserMetadata`: replaces the user metadata of an object on a branch. */
export async function updateObjectUserMetadata(
  http: HttpClient,
  where: { readonly repository: string; readonly branch: string; readonly path: string },
  metadata: Readonly<Record<string, string>>,
  options: CallOptions = {},
): Promise<void> {
  const segments = ["repositories", where.repository, "branches", where.branch, "objects", "stat", "user_metadata"];
  const subject = `${where.repository}/${where.branch}/${where.path}`;
  const operation = "updateObjectUserMetadata";
  const query = { path: where.path };
  await http.text(
    { operation, method: "PUT", segments, query, json: { set: metadata }, subject, repeat: "safe" },
    options,
  );
}

/** lakeFS `deleteObjects`: at most 1000 paths; a 200 may carry errors for single paths, which are returned. */
export function deleteObjects(
  http: HttpClient,
  repository: string,
  branch: string,
  paths: readonly string[],
  options: CallOptions = {},
): Promise<ObjectError[]> {
  if (paths.length > maxDeletePathCount)
    throw new RangeError(`deleteObjects takes at most ${maxDeletePathCount} paths`);
  const segments = ["repositories", repository, "branches", branch, "objects", "delete"];
  const spec = { operation: "deleteObjects", method: "POST", segments, json: { paths }, repeat: "safe" } as const;
  return http.json(spec, options, objectErrorsOf);
}

/** lakeFS `deleteObject`: a path that is not there is no error on the server. */
export async function deleteObject(
  http: HttpClient,
  repository: string,
  branch: string,
  path: string,
  options: CallOptions = {},
): Promise<void> {
  const segments = ["repositories", repository, "branches", branch, "objects"];
  const subject = `${repository}/${branch}/${path}`;
  await http.text(
    { operation: "deleteObject", method: "DELETE", segments, query: { path }, subject, repeat: "safe" },
    options,
  );
}

/** All objects below a prefix in one array; refuses above `maxEntryCount`. */
export function collectObjects(
  http: HttpClient,
  where: { readonly repository: string; readonly ref: string; readonly prefix: string; readonly maxEntryCount: number },
  options: CallOptions = {},
): Promise<ObjectStats[]> {
  const { repository, ref, prefix, maxEntryCount } = where;
  const limit = { operation: "listObjects", subject: `${repository}/${ref}/${prefix}`, maxEntryCount };
  return collectPages(listObjects(http, repository, ref, prefix, options), limit);
}
