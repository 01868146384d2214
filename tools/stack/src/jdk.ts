import { compareVersions } from "./versions.ts";
import type { Version } from "./versions.ts";

/** Conductor 3.32 is compiled for this Java. */
export const MIN_JAVA_VERSION: Version = [21];

/** A Java found on the machine. Version undefined: it could not be run. */
export interface JavaCandidate {
  /** The java binary. */
  readonly path: string;
  readonly version: Version | undefined;
  /** "chosen": the person named it (JAVA_HOME, then PATH, in this order); "installed": it only lies there. */
  readonly source: "chosen" | "installed";
}

/**
 * The Java to use: the first suitable one that the person chose, else the newest that lies about; undefined if none
 * is new enough.
 */
export function chooseJava(candidates: readonly JavaCandidate[]): JavaCandidate | undefined {
  const suitable = candidates.filter(
    ({ version }) => version !== undefined && compareVersions(version, MIN_JAVA_VERSION) >= 0,
  );
  const chosen = suitable.find(({ source }) => source === "chosen");
  if (chosen !== undefined) return chosen;
  return suitable.toSorted((left, right) => compareVersions(right.version ?? [], left.version ?? []))[0];
}
