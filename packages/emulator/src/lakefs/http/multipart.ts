import { LakefsError } from "../errors.ts";

/** The first part called `content` of a form. */
export interface ContentPart {
  /** What the part's header says; empty where it says nothing. */
  readonly contentType: string;
  readonly content: AsyncIterable<Uint8Array>;
}

const MAX_HEADER_BYTES = 16 * 1024;
const lineEnd = Buffer.from("\r\n");
const headerEnd = Buffer.from("\r\n\r\n");

/**
 * Finds the part `content` of a multipart form; its bytes stream through. 500 where there is none, as on the real
 * server.
 */
export async function contentPart(body: AsyncIterable<Uint8Array>, boundary: string): Promise<ContentPart> {
  const reader = new PartReader(body, boundary);
  await reader.skipToFirstPart();
  // Bounded by the body: each round consumes a part.
  for (;;) {
    const headers = await reader.headers();
    if (headers === undefined) throw new LakefsError(500, "multipart upload missing key 'content': http: no such file");
    if (/;\s*name="?content"?(;|$)/m.test(headers.disposition)) {
      return { contentType: headers.contentType, content: reader.content() };
    }
    for await (const _ of reader.content()) continue;
  }
}

interface PartHeaders {
  readonly disposition: string;
  readonly contentType: string;
}

class PartReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #delimiter: Buffer;
  #buffer: Buffer = lineEnd;
  #ended = false;

  constructor(body: AsyncIterable<Uint8Array>, boundary: string) {
    this.#chunks = body[Symbol.asyncIterator]();
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) {
      this.#ended = true;
      return false;
    }
    this.#buffer = Buffer.concat([this.#buffer, next.value]);
    return true;
  }

  async skipToFirstPart(): Promise<void> {
    for await (const _ of this.content()) continue;
  }

  /** The headers of the part that starts here; undefined at the end of the form. */
  async headers(): Promise<PartHeaders | undefined> {
    while (this.#buffer.length < 2 && (await this.#more())) continue;
    if (this.#ended || this.#buffer.subarray(0, 2).toString() === "--") return undefined;
    let end = this.#buffer.indexOf(headerEnd);
    while (end < 0) {
      if (this.#buffer.length > MAX_HEADER_BYTES || !(await this.#more())) {
        throw new LakefsError(500, "multipart: NextPart: EOF");
      }
      end = this.#buffer.indexOf(headerEnd);
    }
    const lines = this.#buffer.subarray(0, end).toString("utf8").split("\r\n");
    this.#buffer = this.#buffer.subarray(end + headerEnd.length);
    const value = (name: string): string =>
      lines
        .find((line) => line.toLowerCase().startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim() ?? "";
    return { disposition: value("content-disposition"), contentType: value("content-type") };
  }

  /** The bytes up to the next delimiter. What could be the start of one waits for more. */
  async *content(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const end = this.#buffer.indexOf(this.#delimiter);
      if (end >= 0) {
        if (end > 0) yield this.#buffer.subarray(0, end);
        this.#buffer = this.#buffer.subarray(end + this.#delimiter.length);
        return;
      }
      const safe = this.#buffer.length - this.#delimiter.length;
      if (safe > 0) {
        yield this.#buffer.subarray(0, safe);
        this.#buffer = this.#buffer.subarray(safe);
      }
      if (!(await this.#more())) throw new LakefsError(500, "unexpected EOF");
    }
  }
}
