import type { StorageAbilities } from "../client/types.ts";

const mebibyte = 1024 * 1024;

/** What a storage takes, in bytes; the defaults are S3's and lakeFS'. */
export interface StorageLimits {
  /** Up to this size one request to lakeFS is quicker than three with a presigned address. */
  readonly directSizeBytes: number;
  /** Largest object that one PUT may make. */
  readonly maxPutSizeBytes: number;
  /** From this size on a file goes in parts where the storage takes parts. */
  readonly multipartFromSizeBytes: number;
  /** Smallest part but the last. */
  readonly minPartSizeBytes: number;
  readonly usualPartSizeBytes: number;
  readonly maxPartCount: number;
}

/** S3's limits, which all storages that lakeFS presigns parts for keep (cases B01, B02). */
export const storageLimits: StorageLimits = {
  directSizeBytes: 256 * 1024,
  maxPutSizeBytes: 5 * 1024 * mebibyte,
  multipartFromSizeBytes: 64 * mebibyte,
  minPartSizeBytes: 5 * mebibyte,
  usualPartSizeBytes: 16 * mebibyte,
  maxPartCount: 10_000,
};

/** How a file travels: through lakeFS, by one presigned PUT, or in presigned parts. */
export type UploadWay =
  | { readonly kind: "direct" }
  | { readonly kind: "presigned" }
  | { readonly kind: "multipart"; readonly partSizeBytes: number; readonly partCount: number };

/** Whether the way of a file of this size depends on what its storage can do. */
export function needsAbilities(sizeBytes: number, limits: StorageLimits): boolean {
  return sizeBytes > limits.directSizeBytes;
}

/**
 * Decides how a file travels, by its size and what the storage can do (case B01). Parts grow with the file, so that
 * their count stays within the storage's limit (case B02). Pure.
 */
export function uploadWay(sizeBytes: number, abilities: StorageAbilities, limits: StorageLimits): UploadWay {
  if (!needsAbilities(sizeBytes, limits)) return { kind: "direct" };
  if (abilities.presignMultipart && sizeBytes >= limits.multipartFromSizeBytes) {
    const smallest = Math.max(limits.minPartSizeBytes, limits.usualPartSizeBytes);
    const partSizeBytes = Math.max(smallest, Math.ceil(sizeBytes / limits.maxPartCount));
    return { kind: "multipart", partSizeBytes, partCount: Math.ceil(sizeBytes / partSizeBytes) };
  }
  // What one PUT cannot hold goes through lakeFS, which splits it itself.
  return abilities.presign && sizeBytes <= limits.maxPutSizeBytes ? { kind: "presigned" } : { kind: "direct" };
}

/** The bytes of one part, by its number from 1. Pure. */
export function partRange(
  partNumber: number,
  partSizeBytes: number,
  sizeBytes: number,
): { readonly position: number; readonly sizeBytes: number } {
  const position = (partNumber - 1) * partSizeBytes;
  return { position, sizeBytes: Math.min(partSizeBytes, sizeBytes - position) };
}
