import { once } from "node:events";
import type { Server } from "node:net";

/** Has a server listen on a free port of 127.0.0.1, and says which. */
export async function listenOn(server: Server): Promise<{ readonly port: number }> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address;
}
