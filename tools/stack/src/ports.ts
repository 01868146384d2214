import { readdir, readFile, readlink } from "node:fs/promises";
import { createServer } from "node:net";
import { DEFAULT_CONDUCTOR_PORT, DEFAULT_LAKEFS_PORT } from "./args.ts";
import type { UpCommand } from "./args.ts";
import type { ServerName } from "./layout.ts";
import { systemCodeOf } from "./errors.ts";

/** "fixed" is taken or refused, "preferred" gives way to a free one where it is in use, "any" is a free one. */
export type PortChoice = { readonly kind: "fixed" | "preferred"; readonly port: number } | { readonly kind: "any" };

/**
 * Which ports an instance gets, before looking at what is free: asked for, else the ones it had before (its clients
 * know them), else free ones when asked, else the defaults.
 */
export function decidePort(
  server: ServerName,
  command: Pick<UpCommand, "lakefsPort" | "conductorPort" | "freePorts">,
  earlierPort: number | undefined,
): PortChoice {
  const asked = server === "lakefs" ? command.lakefsPort : command.conductorPort;
  if (asked !== undefined) return { kind: "fixed", port: asked };
  if (earlierPort !== undefined) return { kind: command.freePorts ? "preferred" : "fixed", port: earlierPort };
  if (command.freePorts) return { kind: "any" };
  return { kind: "fixed", port: server === "lakefs" ? DEFAULT_LAKEFS_PORT : DEFAULT_CONDUCTOR_PORT };
}

/** A port of 127.0.0.1 that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const port = await tryListen(0);
  if (port === undefined) throw new Error("the system gave no free port on 127.0.0.1");
  return port;
}

/** Whether a server could listen on this port of 127.0.0.1 now. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await tryListen(port)) !== undefined;
}

async function tryListen(port: number): Promise<number | undefined> {
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  server.once("error", (error) => {
    const code = systemCodeOf(error);
    if (code === "EADDRINUSE" || code === "EACCES") resolve(undefined);
    else reject(error);
  });
  server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
    const address = server.address();
    const bound = typeof address === "object" && address !== null ? address.port : undefined;
    server.close(() => resolve(bound));
  });
  return promise;
}

/** The socket inodes that listen on a port, from the text of /proc/net/tcp or tcp6. */
export function listeningInodes(table: string, port: number): readonly string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const listen = "0A";
  return table
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(wanted) === true && fields[3] === listen)
    .flatMap((fields) => (fields[9] === undefined ? [] : [fields[9]]));
}

/** Who listens on the port, as "name (pid N)", where the system lets us see it. */
export async function portHolder(port: number): Promise<string | undefined> {
  const tables = await Promise.all(
    ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFile(path, "utf8").catch(() => "")),
  );
  const sockets = new Set(tables.flatMap((table) => listeningInodes(table, port)).map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return undefined;
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^[0-9]+$/.test(name));
  for (const pid of pids) {
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const links = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => "")));
    if (!links.some((link) => sockets.has(link))) continue;
    const name = await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "a process");
    return `${name.trim()} (pid ${pid})`;
  }
  return undefined;
}
