import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { answerJson } from "../../test/fake-http.ts";

const mebibyte = 1024 * 1024;
const piece = Buffer.alloc(mebibyte / 16, "z");
const fileCount = 8;

function* piecesOf(sizeBytes: number): Generator<Buffer> {
  for (let done = 0; done < sizeBytes; done += piece.length) yield piece;
}

/** A lakeFS of some large objects that keeps no bytes either: they are made and hashed as they pass. */
async function streamingLakefs(sizeBytes: number): Promise<string> {
  const running = createHash("md5");
  for (const bytes of piecesOf(sizeBytes)) running.update(bytes);
  const named = { path_type: "object", physical_address: "", content_type: "application/octet-stream" };
  const record = { ...named, checksum: running.digest("hex"), size_bytes: sizeBytes };
  const results = Array.from({ length: fileCount }, (_, index) => ({ path: `in/f${index}`, ...record }));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "", "http://fake");
    const path = url.searchParams.get("path") ?? "";
    if (url.pathname === "/api/v1/config") {
      const storage = { blockstore_type: "local", pre_sign_support: false };
      answerJson(response, { storage_config: storage, version_config: { version: "1.84.0" } });
    } else if (url.pathname === "/api/v1/repositories/r") answerJson(response, { id: "r", default_branch: "main" });
    else if (url.pathname.endsWith("/objects/ls")) {
      answerJson(response, { pagination: { has_more: false, next_offset: "" }, results });
    } else if (request.method === "POST") {
      const hash = createHash("md5");
      let seenSizeBytes = 0;
      for await (const bytes of request as AsyncIterable<Buffer>) {
        hash.update(bytes);
        seenSizeBytes += bytes.length;
      }
      answerJson(response, { ...record, path, checksum: hash.digest("hex"), size_bytes: seenSizeBytes }, 201);
    } else if (url.pathname.endsWith("/objects/stat")) answerJson(response, { message: "not found" }, 404);
    else {
      response.writeHead(200, { "content-length": sizeBytes });
      await pipeline(Readable.from(piecesOf(sizeBytes)), response);
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

interface Told {
  readonly count: number;
  readonly uploadedSizeBytes: number;
  readonly maxResidentKibibytes: number;
}

async function moveLarge(sizeBytes: number): Promise<Told> {
  const script = new URL("../../test/large-files-child.ts", import.meta.url).pathname;
  const heap = ["--max-old-space-size=64", "--max-semi-space-size=4"];
  const args = [script, await streamingLakefs(sizeBytes), String(fileCount), String(sizeBytes)];
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=perago-source", ...heap, ...args]);
  const told: Told = JSON.parse(stdout);
  expect(told).toMatchObject({ count: fileCount, uploadedSizeBytes: fileCount * sizeBytes });
  return told;
}

test(
  "fault G6 case B06: eight files of 32 MiB at a time, both ways, take no more memory than eight of 2 MiB",
  { timeout: 180_000 },
  async () => {
    const small = await moveLarge(2 * mebibyte);
    const large = await moveLarge(32 * mebibyte);
    const grownMebibytes = (large.maxResidentKibibytes - small.maxResidentKibibytes) / 1024;
    expect(grownMebibytes).toBeLessThan(16);
  },
);
