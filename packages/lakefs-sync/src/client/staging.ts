import type { HttpClient } from "./http.ts";
import { objectStatsOf, recordOf, textOf } from "./shapes.ts";
import type { CallOptions, ObjectStats } from "./types.ts";
import type { ObjectAttributes } from "./upload-shape.ts";

/** An object to be on a branch. */
export interface StagedPlace {
  readonly repository: string;
  readonly branch: string;
  readonly path: string;
}

/** Where the storage takes the bytes of an object; the address is a secret. */
export interface PhysicalPlace {
  readonly physicalAddress: string;
  readonly presignedUrl: string;
}

/** An upload in parts that has begun. */
export interface MultipartUpload {
  readonly uploadId: string;
  readonly physicalAddress: string;
}

/** One part that the storage has, by its number from 1. */
export interface StoredPart {
  readonly partNumber: number;
  readonly etag: string;
}

function segmentsOf(place: StagedPlace, ...rest: string[]): string[] {
  return ["repositories", place.repository, "branches", place.branch, "staging", ...rest];
}

function subjectOf(place: StagedPlace): string {
  return `${place.repository}/${place.branch}/${place.path}`;
}

/** lakeFS `getPhysicalAddress` with a presigned address. */
export function getPhysicalAddress(
  http: HttpClient,
  place: StagedPlace,
  options: CallOptions = {},
): Promise<PhysicalPlace> {
  const [segments, subject] = [segmentsOf(place, "backing"), subjectOf(place)];
  const query = { path: place.path, presign: true };
  const spec = { operation: "getPhysicalAddress", method: "GET", segments, query, subject, repeat: "safe" } as const;
  return http.json(spec, options, (value) => {
    const record = recordOf(value);
    return {
      physicalAddress: textOf(record, "physical_address"),
      presignedUrl: textOf(record, "presigned_url"),
    };
  });
}

/** lakeFS `linkPhysicalAddress`: the object appears on the branch. An address can be linked once. */
export function linkPhysicalAddress(
  http: HttpClient,
  place: StagedPlace,
  link: { readonly physicalAddress: string; readonly checksum: string; readonly sizeBytes: number } & ObjectAttributes,
  options: CallOptions = {},
): Promise<ObjectStats> {
  const [segments, subject] = [segmentsOf(place, "backing"), subjectOf(place)];
  const json = {
    staging: { physical_address: link.physicalAddress },
    checksum: link.checksum,
    size_bytes: link.sizeBytes,
    content_type: link.contentType,
    user_metadata: link.metadata,
  };
  const query = { path: place.path };
  const spec = { operation: "linkPhysicalAddress", method: "PUT", segments, query, json, subject } as const;
  return http.json({ ...spec, repeat: "refused" }, options, objectStatsOf);
}

/** lakeFS `createPresignMultipartUpload`. Addresses of parts are asked one by one (`uploadPart`). */
export function createPresignMultipartUpload(
  http: HttpClient,
  place: StagedPlace,
  options: CallOptions = {},
): Promise<MultipartUpload> {
  const [segments, subject] = [segmentsOf(place, "pmpu"), subjectOf(place)];
  const operation = "createPresignMultipartUpload";
  const spec = { operation, method: "POST", segments, query: { path: place.path }, subject, repeat: "safe" } as const;
  return http.json(spec, options, (value) => {
    const record = recordOf(value);
    return { uploadId: textOf(record, "upload_id"), physicalAddress: textOf(record, "physical_address") };
  });
}

/** lakeFS `uploadPart`: a presigned address for one part. */
export function uploadPart(
  http: HttpClient,
  place: StagedPlace,
  upload: MultipartUpload,
  partNumber: number,
  options: CallOptions = {},
): Promise<string> {
  const segments = segmentsOf(place, "pmpu", upload.uploadId, "parts", String(partNumber));
  const json = { physical_address: upload.physicalAddress };
  const [query, subject] = [{ path: place.path }, subjectOf(place)];
  const spec = { operation: "uploadPart", method: "PUT", segments, query, json, subject, repeat: "safe" } as const;
  return http.json(spec, options, (value) => textOf(recordOf(value), "presigned_url"));
}

/** lakeFS `completePresignMultipartUpload`: the object appears on the branch. */
export function completePresignMultipartUpload(
  http: HttpClient,
  place: StagedPlace,
  upload: MultipartUpload,
  whole: { readonly parts: readonly StoredPart[] } & ObjectAttributes,
  options: CallOptions = {},
): Promise<ObjectStats> {
  const segments = segmentsOf(place, "pmpu", upload.uploadId);
  const json = {
    physical_address: upload.physicalAddress,
    parts: whole.parts.map(({ partNumber, etag }) => ({ part_number: partNumber, etag })),
    content_type: whole.contentType,
    user_metadata: whole.metadata,
  };
  const [query, subject] = [{ path: place.path }, subjectOf(place)];
  const spec = { operation: "completePresignMultipartUpload", method: "PUT", segments, query, json, subject } as const;
  // The storage puts the parts together, which takes its time; no limit but the connection's.
  return http.json({ ...spec, repeat: "refused" }, { timeoutMs: Infinity, ...options }, objectStatsOf);
}

/** lakeFS `abortPresignMultipartUpload`. */
export async function abortPresignMultipartUpload(
  http: HttpClient,
  place: StagedPlace,
  upload: MultipartUpload,
  options: CallOptions = {},
): Promise<void> {
  const segments = segmentsOf(place, "pmpu", upload.uploadId);
  const json = { physical_address: upload.physicalAddress };
  const [query, subject] = [{ path: place.path }, subjectOf(place)];
  const operation = "abortPresignMultipartUpload";
  await http.text({ operation, method: "DELETE", segments, query, json, subject, repeat: "never" }, options);
}
