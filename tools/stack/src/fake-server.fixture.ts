// Stands in for a real server in tests: node fake-server.fixture.ts <port> <mode> [text to print]
//   ok: answers every request as healthy    deaf: never healthy, ignores SIGTERM    die: prints the text and exits 1
import { createServer } from "node:http";

const [port = "", mode = "", text = ""] = process.argv.slice(2);

process.stdout.write(`${text}\n`);
if (mode === "die") process.exit(1);
if (mode === "deaf") process.on("SIGTERM", () => undefined);

createServer((_request, response) => {
  response.writeHead(mode === "ok" ? 200 : 503).end('{"healthy":true}');
}).listen({ host: "127.0.0.1", port: Number(port) });
