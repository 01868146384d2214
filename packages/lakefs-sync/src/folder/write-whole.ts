import { writeSync } from "node:fs";

/** Writes a whole buffer, where the file stands or at `position`. */
export function writeWhole(descriptor: number, bytes: Buffer, position?: number): void {
  for (let written = 0; written < bytes.length;) {
    const where = position === undefined ? null : position + written;
    written += writeSync(descriptor, bytes, written, bytes.length - written, where);
  }
}
