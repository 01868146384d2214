import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { answerJson, fakeHttp, type SeenRequest } from "./fake-http.ts";

/** An object of the fake store. */
export interface FakeObject {
  bytes: Buffer;
  checksum: string;
  contentType: string;
  metadata: Record<string, string>;
  /** As lakeFS does it: every upload gets an address of its own. */
  address: string;
}

let addressCount = 0;
function newAddress(): string {
  addressCount += 1;
  return `local://fake/data/${addressCount}`;
}

const md5 = (bytes: Buffer): string => createHash("md5").update(bytes).digest("hex");

/** A fake object of some text; its checksum is the MD5 unless one is given. */
export function fakeObject(content: string | Buffer, checksum?: string): FakeObject {
  const bytes = Buffer.from(content);
  return { bytes, checksum: checksum ?? md5(bytes), contentType: "text/plain", metadata: {}, address: newAddress() };
}

/** What a test changes in the fake server. */
export interface FakeFaults {
  /** Answers in the server's place; true where it did. */
  readonly intercept?: (request: SeenRequest, response: ServerResponse) => boolean;
  /** Makes the checksum of an upload; default MD5. */
  readonly checksumOf?: (bytes: Buffer) => string;
}

/** The objects of each ref of a tiny lakeFS: enough for listings, transfers, deletes and diffs. */
export async function fakeLakefs(
  refs: Record<string, Map<string, FakeObject>>,
  faults: FakeFaults = {},
): Promise<{ readonly endpoint: string; readonly seen: SeenRequest[] }> {
  const page = (results: { readonly path: string }[], hasMore = false): unknown => ({
    pagination: {
      has_more: hasMore,
      next_offset: hasMore ? results.at(-1)?.path : "",
      results: results.length,
      max_per_page: 1000,
    },
    results,
  });
  /** In the order of the map, which is the test's. */
  const list = (objects: Map<string, FakeObject>, query: URLSearchParams): unknown => {
    const keys = [...objects.keys()].filter((key) => key.startsWith(query.get("prefix") ?? ""));
    const start = keys.indexOf(query.get("after") ?? "") + 1;
    const shown = keys.slice(start, start + 1000);
    return page(
      shown.flatMap((key) => {
        const object = objects.get(key);
        return object === undefined ? [] : [statsOf(key, object)];
      }),
      start + shown.length < keys.length,
    );
  };
  const statsOf = (path: string, object: FakeObject): { readonly path: string } & Record<string, unknown> => ({
    path,
    path_type: "object",
    checksum: object.checksum,
    physical_address: object.address,
    size_bytes: object.bytes.length,
    content_type: object.contentType,
    metadata: object.metadata,
    mtime: 1,
  });
  const upload = (request: SeenRequest, objects: Map<string, FakeObject>, path: string): unknown => {
    const metadata: Record<string, string> = {};
    for (const [name, value] of Object.entries(request.headers)) {
      if (name.startsWith("x-lakefs-meta-")) metadata[name.slice("x-lakefs-meta-".length)] = String(value);
    }
    const checksum = (faults.checksumOf ?? md5)(request.body);
    const contentType = request.headers["content-type"] ?? "";
    const object = { bytes: request.body, checksum, contentType, metadata, address: newAddress() };
    objects.set(path, object);
    return statsOf(path, object);
  };
  const remove = (request: SeenRequest, objects: Map<string, FakeObject>): unknown => {
    const parsed: { paths: string[] } = JSON.parse(request.body.toString());
    for (const path of parsed.paths) objects.delete(path);
    return { errors: [] };
  };
  return await fakeHttp((request, response) => {
    if (faults.intercept?.(request, response)) return;
    const url = new URL(request.target, "http://fake");
    if (answerServer(url.pathname, response)) return;
    const segments = url.pathname.split("/").slice(5);
    const objects = refs[segments[1] ?? ""];
    const what = segments.slice(2).join("/");
    const path = url.searchParams.get("path") ?? "";
    const object = objects?.get(path);
    if (objects === undefined) answerJson(response, { message: "not found" }, 404);
    else if (what === "objects/ls") answerJson(response, list(objects, url.searchParams));
    else if (what === "objects/delete") answerJson(response, remove(request, objects));
    else if (request.method === "POST") answerJson(response, upload(request, objects, path), 201);
    else if (object === undefined) answerJson(response, { message: "path not found" }, 404);
    else if (what === "objects/stat") answerJson(response, statsOf(path, object));
    else response.writeHead(200, { "content-length": object.bytes.length }).end(object.bytes);
  });
}

/** A local block store, which gives no addresses. */
function answerServer(path: string, response: ServerResponse): boolean {
  const storage = { blockstore_type: "local", pre_sign_support: false };
  if (path === "/api/v1/config")
    answerJson(response, { storage_config: storage, version_config: { version: "1.84.0" } });
  else if (path === "/api/v1/repositories/r") answerJson(response, { id: "r", default_branch: "main" });
  else return false;
  return true;
}
