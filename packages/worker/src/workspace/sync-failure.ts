import { SyncError, type SyncErrorCode } from "@perago/lakefs-sync";
import { AttemptError, type FailureCode } from "../failure.ts";
import { attemptError } from "../lakefs/lakefs-failure.ts";

/** Which code of rule R7 a failure between folder and commit has. Terminal ones are those of rule I5. */
const codes: Readonly<Record<SyncErrorCode, FailureCode>> = {
  prefix_invalid: "input_invalid",
  input_unrepresentable: "input_invalid",
  input_data_gone: "input_invalid",
  folder_unstageable: "workspace_unstageable",
  file_changed: "workspace_unstageable",
  key_too_long: "workspace_unstageable",
  staging_differs: "workspace_unstageable",
  folder_exists: "workspace_unstageable",
  disk_full: "workspace_unstageable",
  disk_limit: "workspace_unstageable",
  disk_denied: "workspace_unstageable",
  disk_error: "workspace_unstageable",
  staged_data_gone: "server_unavailable",
  cache_unusable: "workspace_unstageable",
  transfer_mismatch: "server_unavailable",
  delete_failed: "server_unavailable",
  sync_aborted: "server_unavailable",
  sync_worker_lost: "server_unavailable",
};

/** Runs a job of the sync thread and throws `AttemptError` for what it refuses. */
export async function asSyncAttempt<T>(job: Promise<T>): Promise<T> {
  try {
    return await job;
  } catch (error) {
    if (!(error instanceof SyncError)) throw attemptError(error);
    const { code, message, hint } = error;
    throw new AttemptError({ code: codes[code], message, hint }, { cause: error });
  }
}
