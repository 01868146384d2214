import { startProxy, type Deed, type Proxy, type SeenRequest } from "@perago/tools-fault-proxy";
import type { FromHost } from "../host/messages.ts";
import type { Disk } from "./disk.ts";
import { startHostProcess, type HostProcess, type HostStart } from "./host-process.ts";

/** A request that is to be met on its way: struck as often as `times` says. */
export interface Trap {
  readonly matches: (request: SeenRequest) => boolean;
  readonly deed: () => Deed;
  times: number;
}

/** One host of the run over all its processes, with a proxy of its own before each server. */
export interface ChaosHost {
  readonly name: string;
  readonly workspaceRoot: string;
  readonly disk: Disk | undefined;
  /** The process now; undefined between two. */
  current(): HostProcess | undefined;
  /** Sets a trap before both servers; answers how to take it away. */
  trap(trap: Trap): () => void;
  /** Lets nothing through to these servers until it is told otherwise. */
  cutOff(servers: readonly ServerName[]): void;
  /** Starts a process where none runs, with these variables beside its own. */
  start(more?: Readonly<Record<string, string>>): Promise<void>;
  closeProxies(): void;
}

/** The two servers. */
export type ServerName = "lakefs" | "conductor";

/** What a host is made of. */
export interface HostParts {
  readonly name: string;
  readonly home: string;
  readonly workspaceRoot: string;
  readonly disk: Disk | undefined;
  readonly slotCount: number;
  /** Of the servers themselves: `stack env`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly breakage?: string;
  readonly onMessage: (message: FromHost, host: ChaosHost, from: HostProcess) => void;
  readonly onEnd: (host: ChaosHost, ended: HostProcess, how: string) => void;
}

/** Puts a host together; `start` starts its first process. */
export async function createHost(parts: HostParts): Promise<ChaosHost> {
  const { name, environment, breakage } = parts;
  const traps = new Set<Trap>();
  let away: readonly ServerName[] = [];
  let current: HostProcess | undefined;
  let generation = 0;
  const proxied = async (server: ServerName, url: string): Promise<Proxy> => {
    const proxy = await startProxy(url, { keepsRequests: false });
    proxy.meddle((request) => {
      if (away.includes(server)) return { kind: "drop_request" };
      const trap = [...traps].find((each) => each.times > 0 && each.matches(request));
      if (trap === undefined) return undefined;
      trap.times -= 1;
      return trap.deed();
    });
    return proxy;
  };
  const conductor = await proxied("conductor", environment["CONDUCTOR_SERVER_URL"] ?? "");
  const lakefs = await proxied("lakefs", environment["LAKECTL_SERVER_ENDPOINT_URL"] ?? "");
  const host: ChaosHost = {
    name,
    workspaceRoot: parts.workspaceRoot,
    disk: parts.disk,
    current: () => current,
    trap(trap) {
      traps.add(trap);
      return () => void traps.delete(trap);
    },
    cutOff(servers) {
      away = servers;
    },
    async start(more = {}) {
      generation += 1;
      const { home, workspaceRoot, slotCount } = parts;
      const addresses = { CONDUCTOR_SERVER_URL: conductor.url, LAKECTL_SERVER_ENDPOINT_URL: lakefs.url };
      const start: HostStart = {
        name,
        generation,
        slotCount,
        workspaceRoot,
        home,
        environment: { ...environment, ...addresses, ...more },
        ...(breakage === undefined ? {} : { breakage }),
        onMessage: (message, from) => parts.onMessage(message, host, from),
      };
      const started = await startHostProcess(start);
      current = started;
      void started.ended.then((how) => {
        current = undefined;
        parts.onEnd(host, started, how);
      });
    },
    closeProxies() {
      conductor.close();
      lakefs.close();
    },
  };
  return host;
}
