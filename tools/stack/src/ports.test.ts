import { createServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { decidePort, freePort, isPortFree, listeningInodes, portHolder } from "./ports.ts";

const open = { lakefsPort: undefined, conductorPort: undefined, freePorts: false };
const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((cleanup) => cleanup()));

it("takes what is asked for, then what the instance had, then free ones, then the defaults", () => {
  expect(decidePort("lakefs", { ...open, lakefsPort: 9000, freePorts: true }, 7000)).toEqual({
    kind: "fixed",
    port: 9000,
  });
  expect(decidePort("lakefs", open, 7000)).toEqual({ kind: "fixed", port: 7000 });
  expect(decidePort("lakefs", { ...open, freePorts: true }, 7000)).toEqual({ kind: "preferred", port: 7000 });
  expect(decidePort("conductor", { ...open, freePorts: true }, undefined)).toEqual({ kind: "any" });
  expect(decidePort("lakefs", open, undefined)).toEqual({ kind: "fixed", port: 8000 });
  expect(decidePort("conductor", { ...open, lakefsPort: 1 }, undefined)).toEqual({ kind: "fixed", port: 8080 });
});

it("sees whether a port is free, on all addresses too", async () => {
  for (const host of ["127.0.0.1", "0.0.0.0"]) {
    const port = await freePort();
    expect(await isPortFree(port)).toBe(true);
    const server = createServer();
    cleanups.push(() => server.close());
    await new Promise<void>((resolve) => server.listen({ host, port }, resolve));
    expect(await isPortFree(port)).toBe(false);
    if (process.platform === "linux") expect(await portHolder(port)).toContain(`(pid ${process.pid})`);
  }
});

it("finds the sockets that listen on a port, not those connected to it", () => {
  const table = [
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
    "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1",
    "   1: 0100007F:1F40 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 4712 1",
    "   2: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1",
    "",
  ].join("\n");
  expect(listeningInodes(table, 8000)).toEqual(["4711"]);
  expect(listeningInodes(table, 8080)).toEqual(["4713"]);
  expect(listeningInodes(table, 80)).toEqual([]);
});
