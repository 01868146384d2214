import { createHash, hash as hashOnce } from "node:crypto";

const digestSizeBytes = 32;

/** A file as a digest sees it. */
export interface DigestedFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** What stands for its bytes: equal where they are. */
  readonly hash: string;
}

/**
 * One text for a whole projection: SHA-256 over the SHA-256 of every file's path, size and content hash, in the order
 * of those. Equal digests mean equal projections; the order of the input does not matter. No paths are sorted or kept:
 * a million files take 40 MiB for a moment.
 */
export function projectionDigest(files: Iterable<DigestedFile>, fileCount: number): string {
  const digests = Buffer.allocUnsafe(fileCount * digestSizeBytes);
  let count = 0;
  for (const { path, sizeBytes, hash } of files) {
    if (count === fileCount) throw new RangeError("more files than were said");
    digests.write(hashOnce("sha256", `${path}\0${sizeBytes}\0${hash}`, "hex"), count * digestSizeBytes, "hex");
    count += 1;
  }
  if (count !== fileCount) throw new RangeError("fewer files than were said");
  const at = (row: number): number => row * digestSizeBytes;
  const rows = Uint32Array.from({ length: count }, (_, row) => row).toSorted((left, right) => {
    const first = digests.readUInt32BE(at(left)) - digests.readUInt32BE(at(right));
    return first === 0 ? digests.compare(digests, at(right), at(right + 1), at(left), at(left + 1)) : first;
  });
  const whole = createHash("sha256");
  for (const row of rows) whole.update(digests.subarray(at(row), at(row + 1)));
  return whole.digest("hex");
}
