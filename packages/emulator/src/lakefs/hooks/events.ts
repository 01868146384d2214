/** What happened, or is about to, as hooks are told. */
export interface HookRecord {
  readonly repository: string;
  readonly storageNamespace: string;
  /** `pre-merge`, `post-commit` ... */
  readonly event: string;
  readonly runId: string;
  /** The run of the pre- hook, for a post- event. */
  readonly preRunId: string;
  readonly branch: string;
  /** Where the actions are taken from. */
  readonly sourceRef: string;
  /** The source as the merge's request named it. */
  readonly mergeSource: string;
  readonly commitId: string;
  /** Who asked. */
  readonly username: string;
  readonly commit: HookCommit;
}

/** The commit that a hook sees. */
export interface HookCommit {
  readonly message: string;
  readonly treeId: string;
  readonly createdS: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly parents: readonly string[];
}

/** The commit of an event that makes none. */
export const noCommit: HookCommit = { message: "", treeId: "", createdS: 0, metadata: {}, parents: [] };

const COMMIT_VERSION = 1;

/** The global `action` of a hook's script. */
export function actionTable(record: HookRecord, actionName: string, hookId: string): Record<string, unknown> {
  const { commit } = record;
  return {
    action_name: actionName,
    hook_id: hookId,
    run_id: record.runId,
    pre_run_id: record.preRunId,
    event_type: record.event,
    commit_id: record.commitId,
    branch_id: record.branch,
    source_ref: record.sourceRef,
    tag_id: "",
    merge_source: record.mergeSource,
    repository_id: record.repository,
    storage_namespace: record.storageNamespace,
    commit: {
      message: commit.message,
      meta_range_id: commit.treeId,
      creation_date: new Date(commit.createdS * 1000).toISOString().replace(".000Z", "Z"),
      version: COMMIT_VERSION,
      metadata: { ...commit.metadata },
      parents: [...commit.parents],
    },
  };
}
