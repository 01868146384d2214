import type { BodySource } from "./http.ts";

/** What an object's record says beside its bytes. */
export interface ObjectAttributes {
  readonly contentType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What new files get: constant, so that a deterministic retry makes the same record (rule T12, case B17). */
export const newFileAttributes: ObjectAttributes = { contentType: "application/octet-stream", metadata: {} };

/** How an upload is sent. */
export interface UploadShape {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodySource;
  /** User metadata that headers cannot carry; to be set after the upload. */
  readonly metadataAfter: Readonly<Record<string, string>> | undefined;
}

const internalPrefix = "::lakefs::";
const plainType = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*(; ?[a-z0-9_-]+=[a-z0-9_.-]+)?$/i;
const boundary = "perago-object-7d1f4c6a9b";

/** Header names are case-insensitive and values are trimmed on the wire: only what survives that goes by header. */
function metadataHeaders(metadata: Readonly<Record<string, string>>): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const [key, value] of Object.entries(metadata)) {
    const internal = key.startsWith(internalPrefix);
    const name = internal ? key.slice(internalPrefix.length) : key;
    if (!/^[a-z0-9._-]+$/.test(name) || !/^[!-~]([ -~]*[!-~])?$/.test(value)) return undefined;
    headers[`${internal ? "x-lakefs-internal-" : "x-lakefs-meta-"}${name}`] = value;
  }
  return headers;
}

/** A form around the bytes: the one way to keep a content type that the request header cannot hold. */
function formBody(source: BodySource, contentType: string): BodySource {
  const typeLine = contentType === "" ? "" : `Content-Type: ${contentType.replaceAll(/[\r\n]/g, " ")}\r\n`;
  const disposition = `Content-Disposition: form-data; name="content"; filename="content"\r\n`;
  const head = Buffer.from(`--${boundary}\r\n${disposition}${typeLine}\r\n`);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const wrap = async function* (): AsyncGenerator<Buffer> {
    yield head;
    const body = source.open();
    if (Buffer.isBuffer(body)) yield body;
    else yield* body;
    yield tail;
  };
  return { sizeBytes: head.length + source.sizeBytes + tail.length, open: wrap };
}

/** Decides how bytes and attributes travel. Pure. */
export function uploadShape(source: BodySource, attributes: ObjectAttributes): UploadShape {
  const { contentType, metadata } = attributes;
  const byHeader = metadataHeaders(metadata);
  const metadataAfter = byHeader === undefined ? metadata : undefined;
  const direct = plainType.test(contentType) && !/^multipart\//i.test(contentType);
  const type = direct ? contentType : `multipart/form-data; boundary=${boundary}`;
  return {
    headers: { ...byHeader, "content-type": type },
    body: direct ? source : formBody(source, contentType),
    metadataAfter,
  };
}
