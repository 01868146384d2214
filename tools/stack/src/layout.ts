import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { Environment } from "./args.ts";

/** The two servers of an instance, in the order in which they are started. */
export const SERVER_NAMES = ["lakefs", "conductor"] as const;
export type ServerName = (typeof SERVER_NAMES)[number];

/** Where one instance keeps its things. Every path is absolute. */
export interface InstanceLayout {
  readonly name: string;
  readonly root: string;
  readonly lockFile: string;
  readonly settingsFile: string;
  readonly logRoot: string;
  readonly temporaryRoot: string;
  dataRoot(server: ServerName): string;
  logFile(server: ServerName): string;
  pidFile(server: ServerName): string;
}

/** The cache folder: PERAGO_STACK_HOME, else $XDG_CACHE_HOME/perago, else ~/.cache/perago. */
export function stackHome(environment: Environment): string {
  const own = environment["PERAGO_STACK_HOME"];
  if (own !== undefined && own !== "") return resolve(own);
  const xdg = environment["XDG_CACHE_HOME"];
  // The XDG base directory specification tells to ignore relative paths.
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "perago");
  return join(homedir(), ".cache", "perago");
}

/** The paths of the instance `name` below the cache folder. */
export function instanceLayout(home: string, name: string): InstanceLayout {
  const root = join(home, "instances", name);
  const logRoot = join(root, "logs");
  return {
    name,
    root,
    lockFile: join(root, "lock.db"),
    settingsFile: join(root, "instance.json"),
    logRoot,
    temporaryRoot: join(root, "tmp"),
    dataRoot: (server) => join(root, server),
    logFile: (server) => join(logRoot, `${server}.log`),
    pidFile: (server) => join(root, `${server}.pid.json`),
  };
}
