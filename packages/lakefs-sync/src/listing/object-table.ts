import type { ObjectAttributes } from "../client/upload-shape.ts";
import { contentIdSizeBytes } from "../cache/content-id.ts";
import { exactDisk, pathIdentity, type DiskTraits } from "../keys/disk-traits.ts";
import { HashColumn, NumberColumn } from "./columns.ts";
import { TextTable } from "./text-table.ts";

/** What a record says of an object beside its name. */
export interface ObjectRecord extends ObjectAttributes {
  readonly sizeBytes: number;
  /** An MD5 only where it is 32 hex digits (case B07). */
  readonly checksum: string;
  /** Names its bytes in the local cache, where they may be kept. */
  readonly contentId?: string | undefined;
}

/** One object of a listing. */
export interface ListedObject extends ObjectRecord {
  /** Below the prefix, with `/`. */
  readonly path: string;
  /** As lakeFS lists it; it is published back under this very key (case N07). */
  readonly key: string;
  /** MD5 of the bytes, lower-case hex, where it is known. */
  readonly hash: string | undefined;
}

/** Of an MD5 in bytes. */
export const md5SizeBytes = 16;

/** The record's checksum as an MD5, or undefined where it is something else (case B07). */
export function md5OfChecksum(checksum: string): string | undefined {
  return /^[0-9a-f]{32}$/i.test(checksum) ? checksum.toLowerCase() : undefined;
}

/** Content types with user metadata, each kept once: most listings have a handful. */
class AttributeTable {
  readonly #all: ObjectAttributes[] = [];
  readonly #rows = new Map<string, number>();

  rowOf({ contentType, metadata }: ObjectAttributes): number {
    const pairs = Object.entries(metadata);
    const identity = pairs.length === 0 ? contentType : `${contentType}\0${JSON.stringify(pairs)}`;
    let row = this.#rows.get(identity);
    if (row === undefined) {
      row = this.#all.push({ contentType, metadata }) - 1;
      this.#rows.set(identity, row);
    }
    return row;
  }

  get(row: number): ObjectAttributes {
    const attributes = this.#all[row];
    if (attributes === undefined) throw new RangeError(`no attributes ${row}`);
    return attributes;
  }
}

/**
 * The objects of one commit below a prefix, by row. It holds about 60 bytes an object beside its path, outside of the
 * JavaScript heap (a million objects of 40 letters: 100 MiB), and 21 more where there is a cache; whole entries are
 * made when they are asked for.
 */
export class ObjectTable {
  readonly prefix: string;
  readonly #disk: DiskTraits;
  readonly #paths = new TextTable();
  /** The same table where the disk takes names as they are. */
  readonly #identities: TextTable;
  readonly #sizes = new NumberColumn(Float64Array);
  readonly #hashes = new HashColumn(md5SizeBytes);
  /** Empty where there is no cache. */
  readonly #contentIds = new HashColumn(contentIdSizeBytes);
  readonly #attributes = new AttributeTable();
  readonly #attributeRows = new NumberColumn(Uint32Array);
  /** Checksums that are no MD5; a row's number + 1, or 0 where the hash is the checksum. */
  readonly #checksums = new TextTable();
  readonly #checksumRows = new NumberColumn(Uint32Array);

  constructor(prefix: string, disk: DiskTraits = exactDisk) {
    this.prefix = prefix;
    this.#disk = disk;
    this.#identities = disk.foldsCase || disk.normalises ? new TextTable() : this.#paths;
  }

  get count(): number {
    return this.#paths.count;
  }

  /** Appends an object; its path is well-formed. */
  add(path: string, record: ObjectRecord): number {
    const row = this.#paths.add(path);
    if (this.#identities !== this.#paths) this.#identities.add(pathIdentity(path, this.#disk));
    this.#sizes.set(row, record.sizeBytes);
    this.#attributeRows.set(row, this.#attributes.rowOf(record));
    const { checksum } = record;
    const md5 = md5OfChecksum(checksum);
    if (md5 !== undefined) this.#hashes.set(row, md5);
    if (md5 !== checksum) {
      this.#checksumRows.set(row, (this.#checksums.find(checksum) ?? this.#checksums.add(checksum)) + 1);
    }
    if (record.contentId !== undefined) this.#contentIds.set(row, record.contentId);
    return row;
  }

  /** The row of the object that has this path on the disk (cases N06, N07). */
  find(path: string): number | undefined {
    return this.#identities.find(pathIdentity(path, this.#disk));
  }

  path(row: number): string {
    return this.#paths.get(row);
  }

  sizeBytes(row: number): number {
    return this.#sizes.get(row);
  }

  /** MD5 of the bytes where it is known: the checksum is one, or {@link learnHash} said so. */
  hash(row: number): string | undefined {
    return this.#hashes.get(row);
  }

  contentId(row: number): string | undefined {
    return this.#contentIds.get(row);
  }

  checksum(row: number): string {
    const number = this.#checksumRows.get(row);
    return number === 0 ? (this.#hashes.get(row) ?? "") : this.#checksums.get(number - 1);
  }

  /** Notes the MD5 of an object's bytes; where the checksum is one it is that, or the bytes were not verified. */
  learnHash(row: number, hash: string): void {
    if (this.#checksumRows.get(row) === 0 && hash !== this.hash(row)) throw new Error("a hash beside its checksum");
    this.#hashes.set(row, hash);
  }

  /** Takes over what another table knows of equal records, by path, checksum and size (case B07). */
  learnHashes(known: ObjectTable): void {
    for (let row = 0; row < this.count; row += 1) {
      if (this.hash(row) !== undefined || this.checksum(row) === "") continue;
      const other = known.find(this.path(row));
      if (other === undefined || known.checksum(other) !== this.checksum(row)) continue;
      const hash = known.hash(other);
      if (hash !== undefined && known.sizeBytes(other) === this.sizeBytes(row)) this.learnHash(row, hash);
    }
  }

  entry(row: number): ListedObject {
    const path = this.path(row);
    const { contentType, metadata } = this.#attributes.get(this.#attributeRows.get(row));
    return {
      path,
      key: this.prefix + path,
      sizeBytes: this.sizeBytes(row),
      checksum: this.checksum(row),
      contentType,
      metadata,
      hash: this.hash(row),
    };
  }

  /** All objects, in the order of the listing. */
  *entries(): Generator<ListedObject> {
    for (let row = 0; row < this.count; row += 1) yield this.entry(row);
  }
}
