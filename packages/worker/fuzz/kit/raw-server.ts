import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** A server that answers every request with bytes that were given before, and looks at nothing. */
export interface RawServer {
  readonly url: string;
  /** What the next requests are answered with. The last head of a request is in it where it says `{{head}}`. */
  answer(bytes: Buffer, isLast: boolean): void;
  close(): Promise<void>;
}

const ECHO = Buffer.from("{{head}}");

/** Starts a raw server on 127.0.0.1. */
export async function startRawServer(): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let bytes: Buffer = Buffer.alloc(0);
  let isLast = true;
  const server = createServer((socket) => {
    sockets.add(socket);
    let open = "";
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      open += chunk.toString("latin1");
      const end = open.indexOf("\r\n\r\n");
      if (end < 0 || !isWhole(open, end)) return;
      socket.write(withHead(bytes, open.slice(0, end)));
      open = "";
      if (isLast) socket.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    answer: (next, last) => {
      bytes = next;
      isLast = last;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function isWhole(text: string, headEnd: number): boolean {
  const length = /content-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? "0";
  return text.length >= headEnd + 4 + Number(length);
}

/** A server, or a proxy before it, that sends back what it was sent: keys included. */
function withHead(bytes: Buffer, head: string): Buffer {
  const at = bytes.indexOf(ECHO);
  if (at < 0) return bytes;
  const echo = Buffer.from(JSON.stringify(head).slice(1, -1));
  return Buffer.concat([bytes.subarray(0, at), echo, bytes.subarray(at + ECHO.length)]);
}
