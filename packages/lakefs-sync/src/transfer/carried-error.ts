import { LakefsError } from "../client/errors.ts";
import { SyncError } from "../errors.ts";
import type { CarriedError } from "./messages.ts";

/** Packs an error for the thread border. What is none of ours is a mistake in this package, and says so. */
export function packError(error: unknown, aborted: boolean): CarriedError {
  if (aborted) return { kind: "sync", fields: new SyncError("sync_aborted", "the caller ended the work").toFields() };
  if (error instanceof LakefsError) return { kind: "lakefs", fields: error.toFields() };
  if (error instanceof SyncError) return { kind: "sync", fields: error.toFields() };
  if (error instanceof Error)
    return { kind: "bug", message: `${error.name}: ${error.message}`, stack: error.stack ?? "" };
  return { kind: "bug", message: "something was thrown that is no error", stack: "" };
}

/** Makes the error again on the other side, of the same class. */
export function unpackError(carried: CarriedError): Error {
  switch (carried.kind) {
    case "lakefs":
      return new LakefsError(carried.fields);
    case "sync":
      return new SyncError(carried.fields.code, carried.fields.message, carried.fields.names);
    case "bug":
      return Object.assign(new Error(carried.message), { stack: carried.stack });
  }
}
