import { crc32 } from "node:zlib";
import { contentIdSizeBytes } from "./content-id.ts";

/** Bytes after the content in a file of the cache. */
export const trailerSizeBytes = 64;

const magic = Buffer.from("perago-1", "latin1");
const at = { id: 8, md5: 28, size: 44, crc: 52, ownCrc: 60 };
const md5SizeBytes = 16;

/** What a file of the cache says of its content. */
export interface Trailer {
  /** The content's own name, so that a file in another's place is known as damage. */
  readonly contentId: string;
  /** MD5 of the bytes, lower-case hex: what an object's hash is elsewhere (case B07). */
  readonly md5: string;
  readonly sizeBytes: number;
  /** CRC-32 of the bytes: cheap enough to be checked at every use. */
  readonly crc: number;
}

/** The 64 bytes that end a file of the cache: a file that was cut, or never written out, has none. Pure. */
export function encodeTrailer({ contentId, md5, sizeBytes, crc }: Trailer): Buffer {
  const bytes = Buffer.alloc(trailerSizeBytes);
  magic.copy(bytes);
  if (bytes.write(contentId, at.id, contentIdSizeBytes, "hex") !== contentIdSizeBytes) throw new Error("a wrong id");
  if (bytes.write(md5, at.md5, md5SizeBytes, "hex") !== md5SizeBytes) throw new Error("a wrong MD5");
  bytes.writeBigUInt64LE(BigInt(sizeBytes), at.size);
  bytes.writeUInt32LE(crc, at.crc);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, at.ownCrc)), at.ownCrc);
  return bytes;
}

/** Reads a trailer; undefined where it is none, or damaged. Pure. */
export function decodeTrailer(bytes: Buffer): Trailer | undefined {
  if (bytes.length !== trailerSizeBytes || !bytes.subarray(0, magic.length).equals(magic)) return undefined;
  if (crc32(bytes.subarray(0, at.ownCrc)) !== bytes.readUInt32LE(at.ownCrc)) return undefined;
  return {
    contentId: bytes.toString("hex", at.id, at.md5),
    md5: bytes.toString("hex", at.md5, at.size),
    sizeBytes: Number(bytes.readBigUInt64LE(at.size)),
    crc: bytes.readUInt32LE(at.crc),
  };
}
