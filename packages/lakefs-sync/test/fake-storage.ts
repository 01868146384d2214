import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { answerJson, type SeenRequest } from "./fake-http.ts";
import { fakeObject, type FakeObject } from "./fake-lakefs.ts";

/** What a test says of the storage. */
export interface FakeStorageOptions {
  readonly presign?: boolean;
  readonly multipart?: boolean;
  /** Largest body of one PUT that is no part. */
  readonly maxPutSizeBytes?: number;
  /** An address is good while at most this many requests have reached the storage since it was given. */
  readonly goodForRequestCount?: number;
  /** Answers a request to the storage in its place; true where it did. `part` is 0 for a whole object. */
  readonly onStorage?: (method: string, part: number, response: ServerResponse) => boolean;
  /** Answers a request to lakeFS' staging in its place; true where it did. */
  readonly onStaging?: (request: SeenRequest, response: ServerResponse) => boolean;
  /** What is kept of a body. */
  readonly keep?: (bytes: Buffer) => Buffer;
}

/** What every address holds, to be looked for where no secret may be. */
export const addressSecret = "X-Amz-Signature";

const md5 = (bytes: Buffer): string => createHash("md5").update(bytes).digest("hex");

/**
 * An S3-like storage behind the fake lakeFS, on the same server: presigned addresses that expire, single and in parts,
 * as lakeFS' API hands them out. Give `intercept` to `fakeLakefs`.
 */
export class FakeStorage {
  readonly #options: FakeStorageOptions;
  readonly #branch: Map<string, FakeObject>;
  readonly #whole = new Map<string, Buffer>();
  readonly #parts = new Map<string, Map<number, Buffer>>();
  /** Open uploads in parts. */
  readonly uploads = this.#parts;
  /** Requests that reached the storage, refused ones included. */
  requestCount = 0;
  addressCount = 0;
  readonly partSizes: number[] = [];

  constructor(branch: Map<string, FakeObject>, options: FakeStorageOptions = {}) {
    this.#branch = branch;
    this.#options = options;
  }

  readonly intercept = (request: SeenRequest, response: ServerResponse): boolean => {
    const url = new URL(request.target, "http://fake");
    const [, top, ...rest] = url.pathname.split("/");
    if (top === "store") this.#onStorage(request, url, rest, response);
    else if (url.pathname === "/api/v1/config") answerJson(response, this.#config());
    else if (url.searchParams.get("presign") === "true" && url.pathname.endsWith("/objects/stat")) {
      this.#presignRead(request, url, response);
    } else if (rest.includes("staging")) {
      if (this.#options.onStaging?.(request, response) !== true) this.#onStaging(request, url, rest, response);
    } else return false;
    return true;
  };

  #config(): unknown {
    const { presign = true, multipart = true } = this.#options;
    const storage = { blockstore_type: "s3", pre_sign_support: presign, pre_sign_multipart_upload: multipart };
    return { storage_config: storage, version_config: { version: "1.84.0" } };
  }

  #address(request: SeenRequest, path: string): string {
    this.addressCount += 1;
    return `http://${request.headers.host}/store/${path}?${addressSecret}=s3cret-${this.requestCount}`;
  }

  #presignRead(request: SeenRequest, url: URL, response: ServerResponse): void {
    const path = url.searchParams.get("path") ?? "";
    const object = this.#branch.get(path);
    if (object === undefined) {
      answerJson(response, { message: "not found" }, 404);
      return;
    }
    this.#whole.set(encodeURIComponent(path), object.bytes);
    const record = { path, path_type: "object", checksum: object.checksum, size_bytes: object.bytes.length };
    const address = this.#address(request, encodeURIComponent(encodeURIComponent(path)));
    answerJson(response, { ...record, physical_address: address });
  }

  #onStaging(request: SeenRequest, url: URL, rest: readonly string[], response: ServerResponse): void {
    const path = url.searchParams.get("path") ?? "";
    const [what, id = "", , part] = rest.slice(rest.indexOf("staging") + 1);
    const body: Record<string, never> = request.body.length === 0 ? {} : JSON.parse(request.body.toString());
    if (what === "backing" && request.method === "GET") {
      const address = `whole-${this.addressCount}`;
      answerJson(response, { physical_address: address, presigned_url: this.#address(request, address) });
    } else if (what === "backing") {
      const { staging, checksum }: { staging: { physical_address: string }; checksum: string } = body as never;
      this.#link(path, this.#whole.get(staging.physical_address), checksum, response);
    } else if (request.method === "POST") {
      const uploadId = `up-${this.#parts.size}-${this.addressCount}`;
      this.#parts.set(uploadId, new Map());
      answerJson(response, { upload_id: uploadId, physical_address: `s3://b/${uploadId}` }, 201);
    } else if (part !== undefined) answerJson(response, { presigned_url: this.#address(request, `${id}/${part}`) });
    else if (request.method === "DELETE") {
      this.#parts.delete(id);
      response.writeHead(204).end();
    } else this.#complete(path, id, body as never, response);
  }

  #complete(
    path: string,
    id: string,
    body: { parts: { part_number: number; etag: string }[] },
    response: ServerResponse,
  ): void {
    const stored = this.#parts.get(id) ?? new Map<number, Buffer>();
    const pieces = body.parts.map(({ part_number: number, etag }) => {
      const bytes = stored.get(number);
      return bytes !== undefined && md5(bytes) === etag ? bytes : undefined;
    });
    const isOrdered = body.parts.every(({ part_number: number }, index) => number === index + 1);
    const whole = pieces.every((piece) => piece !== undefined) && isOrdered ? Buffer.concat(pieces) : undefined;
    this.#parts.delete(id);
    this.#link(path, whole, `${whole === undefined ? "" : md5(whole)}-${pieces.length}`, response);
  }

  #link(path: string, bytes: Buffer | undefined, checksum: string, response: ServerResponse): void {
    if (bytes === undefined) {
      answerJson(response, { message: "no such bytes" }, 400);
      return;
    }
    this.#branch.set(path, fakeObject(bytes, checksum));
    const record = { path, path_type: "object", checksum, size_bytes: bytes.length, physical_address: "s3://b/x" };
    answerJson(response, { ...record, content_type: "application/octet-stream", metadata: {} });
  }

  #onStorage(request: SeenRequest, url: URL, rest: readonly string[], response: ServerResponse): void {
    const given = Number(url.searchParams.get(addressSecret)?.replace("s3cret-", "") ?? NaN);
    const usedCount = this.requestCount - given;
    this.requestCount += 1;
    const [id = "", part = "0"] = rest;
    const refuse = (status: number, code: string): void => {
      response
        .writeHead(status)
        .end(`<?xml?><Error><Code>${code}</Code><Resource>${request.target}</Resource></Error>`);
    };
    if (this.#options.onStorage?.(request.method, Number(part), response) === true) return;
    if (!(usedCount <= (this.#options.goodForRequestCount ?? Infinity))) refuse(403, "AccessDenied");
    else if (request.headers.authorization !== undefined) refuse(400, "InvalidRequest");
    else if (request.method === "GET") this.#read(decodeURIComponent(id), request, response);
    else if (part === "0" && request.body.length > (this.#options.maxPutSizeBytes ?? Infinity)) {
      refuse(400, "EntityTooLarge");
    } else this.#store(id, Number(part), (this.#options.keep ?? ((bytes) => bytes))(request.body), response);
  }

  #store(id: string, part: number, bytes: Buffer, response: ServerResponse): void {
    if (part === 0) this.#whole.set(id, bytes);
    else {
      this.#parts.get(id)?.set(part, bytes);
      this.partSizes.push(bytes.length);
    }
    response.writeHead(200, { etag: `"${md5(bytes)}"` }).end();
  }

  #read(id: string, request: SeenRequest, response: ServerResponse): void {
    const bytes = this.#whole.get(id);
    if (bytes === undefined) {
      response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
      return;
    }
    const start = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? "bytes=0-")?.[1]);
    const range = start === 0 ? {} : { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
    response.writeHead(start === 0 ? 200 : 206, { "content-length": bytes.length - start, ...range });
    response.end(bytes.subarray(start));
  }
}
