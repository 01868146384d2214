import { SyncError } from "../errors.ts";
import { segmentDefect } from "./segment.ts";

/**
 * The prefix as a directory: `data`, `/data` and `data/` are `data/`; `""` and `/` are the root `""` (case N16, rule
 * T11).
 * @throws SyncError `prefix_invalid` where a segment can be no directory.
 */
export function normalisePrefix(prefix: string): string {
  // Letter by letter: a pattern for the end would look at each run of slashes again and again.
  let start = 0;
  let end = prefix.length;
  while (start < end && prefix[start] === "/") start += 1;
  while (end > start && prefix[end - 1] === "/") end -= 1;
  const inner = prefix.slice(start, end);
  if (inner === "") return "";
  for (const segment of inner.split("/")) {
    const defect = segmentDefect(segment);
    if (defect !== undefined) {
      throw new SyncError("prefix_invalid", `the prefix ${JSON.stringify(prefix)} has ${defect}`, [prefix]);
    }
  }
  return `${inner}/`;
}

/** The object that would stand where the prefix' directory has to be: `data/` -> `data`; undefined for the root. */
export function objectInTheWay(normalisedPrefix: string): string | undefined {
  return normalisedPrefix === "" ? undefined : normalisedPrefix.slice(0, -1);
}
