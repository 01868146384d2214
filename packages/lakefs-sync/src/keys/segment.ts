/** Longest name of one directory entry on the disks we know. */
export const maxSegmentSizeBytes = 255;
/** Longest key that lakeFS takes (case N15): bytes of UTF-8, not letters. */
export const maxKeySizeBytes = 1024;

/** Why a path segment can be no file or directory name (rule I5, case N12), or undefined. Pure. */
export function segmentDefect(segment: string): string | undefined {
  if (segment === "") return "an empty segment";
  if (segment === "." || segment === "..") return `the segment ${JSON.stringify(segment)}`;
  if (segment.includes("\0")) return "a NUL";
  if (!segment.isWellFormed()) return "half a character (a lone surrogate)";
  // Three bytes a UTF-16 unit at most: most names need no count.
  if (segment.length * 3 > maxSegmentSizeBytes && Buffer.byteLength(segment) > maxSegmentSizeBytes) {
    return `a segment of over ${maxSegmentSizeBytes} bytes`;
  }
  return undefined;
}

/** Size of a key as lakeFS counts it. */
export function keySizeBytes(key: string): number {
  return Buffer.byteLength(key);
}

/** Keys that belong to lakeFS' hooks, never to a projection (rule T6, case L19). */
export function isActionKey(key: string): boolean {
  return key.startsWith("_lakefs_actions/");
}
