import { readdirSync } from "node:fs";
import path from "node:path";
import type { Redactor } from "./redact.ts";

/** Names directly below a host's `/`: an absolute path that begins with one is a path of that host. */
export type RootNames = ReadonlySet<string>;

const ABSOLUTE_PATH = /(?<![\w.:~/-])\/([\w.@+-]+)((?:\/[\w.@+~-]+)*)\/?/g;

/** The names of this host. */
export function rootNamesHere(): RootNames {
  return new Set(readdirSync("/"));
}

/**
 * Of every absolute path of the host the last part stays (rule R3). Paths that are none of this host, like a lakeFS
 * prefix, stay.
 */
export function hideHostPaths(text: string, rootNames: RootNames): string {
  return text.replace(ABSOLUTE_PATH, (whole, first: string, rest: string) =>
    rootNames.has(first) ? `.../${path.posix.basename(`/${first}${rest}`)}` : whole,
  );
}

/** For reasons: a server on this host says where its own files lie. */
export function hidingPaths(redactor: Redactor, rootNames: RootNames): Redactor {
  return { redact: (text) => hideHostPaths(redactor.redact(text), rootNames) };
}
