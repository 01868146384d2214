import { visibleLine } from "./words.ts";

/**
 * What went wrong while a folder and a commit were brought together. Terminal ones (rule I5): `prefix_invalid`,
 * `input_unrepresentable`, `input_data_gone`. All others may pass on a retry.
 */
export type SyncErrorCode =
  | "prefix_invalid"
  | "input_unrepresentable"
  | "input_data_gone"
  | "transfer_mismatch"
  | "folder_exists"
  | "folder_unstageable"
  | "file_changed"
  | "key_too_long"
  | "disk_full"
  | "disk_limit"
  | "disk_denied"
  | "disk_error"
  | "cache_unusable"
  | "delete_failed"
  | "staging_differs"
  | "staged_data_gone"
  | "sync_aborted"
  | "sync_worker_lost";

/** Fields of a {@link SyncError}, plain enough to cross a thread border. */
export interface SyncErrorFields {
  readonly code: SyncErrorCode;
  /** Names the thing; holds no absolute path (rule R3). */
  readonly message: string;
  readonly hint: string;
  /** Keys or relative paths it is about; a bounded sample where there are many. */
  readonly names: readonly string[];
}

const hints: Record<SyncErrorCode, string> = {
  prefix_invalid: "name a directory of the repository, like data/ or /",
  input_unrepresentable: "rename or delete these objects in lakeFS; no folder can hold them",
  input_data_gone: "use a commit whose data garbage collection has kept",
  transfer_mismatch: "retry; if it stays, check lakeFS' storage and what stands before it",
  folder_exists: "use a folder that does not exist yet",
  folder_unstageable: "remove these entries or replace them by plain readable files",
  file_changed: "end every process that writes into the folder before the task returns",
  key_too_long: "use shorter names: a key holds at most 1024 bytes with its prefix",
  disk_full: "free space on the workspace disk or move the workspace root",
  disk_limit: "raise the limit of open files (ulimit -n) of the host",
  disk_denied: "check owner and permissions of the workspace root",
  disk_error: "check the workspace disk",
  cache_unusable: "name a folder that only this user may write, or switch the cache off",
  delete_failed: "check the permissions on the staging branch",
  staging_differs: "retry; another writer may have touched the staging branch",
  staged_data_gone: "retry; check the rules of lakeFS' garbage collection and the health of its storage",
  sync_aborted: "the caller ended the work",
  sync_worker_lost: "retry; the snapshot went with the worker thread",
};

const terminalCodes: ReadonlySet<SyncErrorCode> = new Set([
  "prefix_invalid",
  "input_unrepresentable",
  "input_data_gone",
]);

/** A failure of sync-in, projection or staging. */
export class SyncError extends Error implements SyncErrorFields {
  override readonly name = "SyncError";
  readonly code: SyncErrorCode;
  readonly hint: string;
  readonly names: readonly string[];
  /** A retry cannot help (rule I5). */
  readonly terminal: boolean;

  constructor(code: SyncErrorCode, message: string, names: readonly string[] = []) {
    super(visibleLine(message));
    this.code = code;
    this.hint = hints[code];
    this.names = names;
    this.terminal = terminalCodes.has(code);
  }

  /** The fields as plain data, for a thread border or a log line. */
  toFields(): SyncErrorFields {
    return { code: this.code, message: this.message, hint: this.hint, names: this.names };
  }
}

const namedCount = 10;

/** Shows the first few of many names, so that a message stays readable. */
export function sampleOf(names: readonly string[]): string {
  const shown = names.slice(0, namedCount).map((name) => JSON.stringify(name));
  const rest = names.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}
