import { createHash, randomBytes } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { answerJson, clientTo } from "../../test/fake-http.ts";

const mebibyte = 1024 * 1024;
const place = { repository: "r", ref: "c1", path: "large" };

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(async () => {
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

function http(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => server.closeAllConnections());
  return listening(server);
}

test("case B06: the pieces of a large object lie in one piece of memory, one after the other", async () => {
  const sent = randomBytes(8 * mebibyte);
  const endpoint = await http((_request, response) => response.end(sent));
  const memory = new Set<ArrayBufferLike>();
  const running = createHash("md5");
  const take = (piece: Buffer): void => {
    running.update(piece);
    if (piece.length >= 48 * 1024) memory.add(piece.buffer);
  };
  const hash = await clientTo(endpoint).getObject(place, {}, () => ({ take, end: () => running.digest("hex") }));
  expect(hash).toBe(createHash("md5").update(sent).digest("hex"));
  expect(memory.size).toBe(1);
});

test("a head that comes letter by letter is read whole", async () => {
  const bytes = randomBytes(mebibyte);
  const head = `HTTP/1.1 206 Partial Content\r\ncontent-length: ${bytes.length}\r\ncontent-range: bytes 5-9/10\r\n\r\n`;
  const answer = async (socket: Socket): Promise<void> => {
    for (const letter of head) {
      socket.write(letter);
      await setImmediate();
      await setImmediate();
    }
    socket.end(bytes);
  };
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => void answer(socket));
  });
  let range: string | undefined;
  const pieces: Buffer[] = [];
  await clientTo(await listening(server)).getObject(place, {}, () => ({
    begin: (seen) => {
      range = seen.header("content-range");
    },
    take: (piece) => void pieces.push(Buffer.from(piece)),
    end: () => undefined,
  }));
  expect(range).toBe("bytes 5-9/10");
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
});

test("case B06: a body that gives the same memory again and again arrives as it was given, at a slow reader too", async () => {
  const pieceCount = 64;
  const seen = createHash("md5");
  const endpoint = await http((request, response) => {
    const read = async (): Promise<void> => {
      for await (const piece of request as AsyncIterable<Buffer>) {
        seen.update(piece);
        await setImmediate();
      }
      const record = { path: "large", path_type: "object", physical_address: "", checksum: "", size_bytes: 0 };
      answerJson(response, record, 201);
    };
    void read();
  });
  const given = createHash("md5");
  const sizeBytes = (pieceCount * mebibyte) / 4;
  const open = async function* (): AsyncGenerator<Buffer> {
    const memory = Buffer.alloc(sizeBytes / pieceCount);
    for (let number = 0; number < pieceCount; number += 1) {
      memory.fill(number);
      given.update(memory);
      yield memory;
    }
  };
  const attributes = { contentType: "application/octet-stream", metadata: {} };
  const target = { repository: "r", branch: "main", path: "large" };
  await clientTo(endpoint).uploadObject({ ...target, source: { sizeBytes, open }, attributes });
  expect(seen.digest("hex")).toBe(given.digest("hex"));
});
