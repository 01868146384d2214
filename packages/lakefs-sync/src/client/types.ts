import type { components } from "./generated/lakefs-1.84.0.ts";

type Schemas = components["schemas"];

/** A branch or tag with the commit it points to (lakeFS `Ref`). */
export type Ref = Schemas["Ref"];
/** A commit record (lakeFS `Commit`); `metadata` is always present here. */
export type Commit = Pick<Schemas["Commit"], "id" | "parents" | "message" | "committer" | "creation_date"> & {
  readonly metadata: Readonly<Record<string, string>>;
};
/** An object's record (lakeFS `ObjectStats`); sizes in bytes. */
export type ObjectStats = Pick<Schemas["ObjectStats"], "path" | "path_type" | "checksum" | "physical_address"> & {
  readonly size_bytes: number;
  readonly content_type: string;
  readonly metadata: Readonly<Record<string, string>>;
};
/** One changed path between two refs (lakeFS `Diff`). */
export type Diff = Pick<Schemas["Diff"], "path" | "path_type" | "type">;
/** The answer to a merge (lakeFS `MergeResult`): the commit the destination points to now. */
export type MergeResult = Schemas["MergeResult"];
/** A repository record (lakeFS `Repository`). */
export type Repository = Pick<Schemas["Repository"], "id" | "default_branch" | "storage_namespace"> & {
  readonly read_only: boolean;
  /** Which storage holds its objects; "" is the default one. See `storageAbilities`. */
  readonly storage_id: string;
};
/** One branch protection rule (lakeFS `BranchProtectionRule`). */
export type BranchProtectionRule = Schemas["BranchProtectionRule"];
/** A single path that `deleteObjects` could not delete (lakeFS `ObjectError`). */
export type ObjectError = Schemas["ObjectError"];
/** One page of a list, with the token for the next one. */
export interface Page<T> {
  readonly results: readonly T[];
  readonly hasMore: boolean;
  readonly nextOffset: string;
}
/** What a server says about itself (lakeFS `getConfig`, the parts used here). */
export interface ServerConfig {
  readonly version: string;
  /** Of the default storage. */
  readonly blockstoreType: string;
  /** Every storage that the server lists, then the default one. */
  readonly storages: readonly StorageAbilities[];
}

/** What one storage behind lakeFS can do. */
export interface StorageAbilities {
  /** The `storage_id` of its repositories; "" is the default storage. */
  readonly storageId: string;
  /** Objects may be read and written by presigned addresses. */
  readonly presign: boolean;
  /** Large objects may be written in presigned parts. */
  readonly presignMultipart: boolean;
}

/** Bounds of one call. */
export interface CallOptions {
  /** Ends the call; the outcome of a merge or commit is unknown then. */
  readonly signal?: AbortSignal;
  /**
   * Whole time of the call with its retries, in milliseconds. Default 60,000 for small calls, none for object bodies.
   */
  readonly timeoutMs?: number;
}
