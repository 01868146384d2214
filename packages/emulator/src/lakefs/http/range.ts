/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Why a range header cannot be served: it asks for more than one range or for none, or for bytes that are not there.
 */
export type RangeProblem = "bad" | "unsatisfiable";

/** What a range header may look like at all; anything else is 400. */
export const rangePattern = /^bytes=(\d*-\d*,? ?)+$/;

/** Reads a `Range` header for an object of a size. One range of bytes only, as on the real server. */
export function parseRange(header: string, sizeBytes: number): ByteRange | RangeProblem {
  const match = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/.exec(header);
  const [, from = "", to = ""] = match ?? [];
  if (match === null || (from === "" && to === "")) return "bad";
  if (from === "") {
    const length = Number(to);
    if (length === 0) return "unsatisfiable";
    return { start: Math.max(0, sizeBytes - length), end: sizeBytes - 1 };
  }
  const start = Number(from);
  if (start > sizeBytes - 1) return "unsatisfiable";
  if (to === "") return { start, end: sizeBytes - 1 };
  const end = Number(to);
  return start > end ? "bad" : { start, end: Math.min(end, sizeBytes - 1) };
}
