import { expect, test } from "vitest";
import { uploadShape } from "./upload-shape.ts";

const source = { sizeBytes: 3, open: () => Buffer.from("abc") };

async function bytesOf(body: { open(): Buffer | AsyncIterable<Buffer> }): Promise<Buffer> {
  const opened = body.open();
  if (Buffer.isBuffer(opened)) return opened;
  const chunks: Buffer[] = [];
  for await (const chunk of opened) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test("rule T12: a plain content type and plain metadata go by header, the bytes as they are", () => {
  const metadata = { owner: "a b", "::lakefs::client-mtime": "7" };
  const shape = uploadShape(source, { contentType: "text/csv; charset=utf-8", metadata });
  expect(shape.headers).toEqual({
    "content-type": "text/csv; charset=utf-8",
    "x-lakefs-meta-owner": "a b",
    "x-lakefs-internal-client-mtime": "7",
  });
  expect(shape.body).toBe(source);
  expect(shape.metadataAfter).toBeUndefined();
});

test.for([[{ Owner: "x" }], [{ owner: "ö" }], [{ owner: " x" }], [{ owner: "" }], [{ "ow ner": "x" }]])(
  "rule T12: metadata that a header would change is set after the upload: %o",
  ([metadata]) => {
    const shape = uploadShape(source, { contentType: "text/csv", metadata: { ...metadata } });
    expect(shape.metadataAfter).toEqual(metadata);
    expect(shape.headers).toEqual({ "content-type": "text/csv" });
  },
);

test.for(["", "multipart/form-data", "no type", "text/ümlaut"])(
  "rule T12: the content type %j travels inside a form, with its length known",
  async (contentType) => {
    const shape = uploadShape(source, { contentType, metadata: {} });
    expect(shape.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    const bytes = await bytesOf(shape.body);
    expect(bytes.length).toBe(shape.body.sizeBytes);
    expect(bytes.toString()).toContain("\r\n\r\nabc\r\n--");
    expect(bytes.toString().includes(`Content-Type: ${contentType}\r\n`)).toBe(contentType !== "");
  },
);

test("a content type cannot smuggle a line into the form", async () => {
  const shape = uploadShape(source, { contentType: "a\r\nX: y", metadata: {} });
  expect((await bytesOf(shape.body)).toString()).toContain("Content-Type: a  X: y\r\n");
});
