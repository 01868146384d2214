/** `try` or `confirm`: which phase of the transaction made the commit (rules T9 and C1). */
export const PHASE = "perago.phase";
/** The logical task's key (rule P2). */
export const LOGICAL_TASK_KEY = "perago.logical_task_key";
/** Conductor's task id. */
export const TASK_ID = "perago.task_id";
/** Conductor's retry count, a decimal integer. */
export const RETRY_COUNT = "perago.retry_count";
/** The full commit id that the task's input named. */
export const INPUT_REF = "perago.input_ref";
/** The branch that is published to. */
export const TARGET_BRANCH = "perago.target_branch";
/** The workspace prefix, normalised (rule P4). */
export const PREFIX = "perago.prefix";
/** The staging branch of the execution (rule T1). */
export const STAGING_BRANCH = "perago.staging_branch";
/** The commit that was merged; the proof of publication after an unknown outcome (rule C5). */
export const STAGING_COMMIT = "perago.staging_commit";
/** The head that the publish fence accepted (rule C2). */
export const EXPECTED_HEAD = "perago.expected_head";
/** Empty under P1, the head under P2. */
export const SUPERSEDES = "perago.supersedes";
/** Conductor's workflow instance id. */
export const WORKFLOW_INSTANCE_ID = "perago.workflow_instance_id";
/** The task definition's name. */
export const TASK_DEF_NAME = "perago.task_def_name";
/** The task's reference name in its workflow. */
export const REFERENCE_TASK_NAME = "perago.reference_task_name";
/** Milliseconds by the engine's clock, a decimal integer: orders deliveries (rule P8). */
export const SCHEDULED_TIME = "perago.scheduled_time";
/** The worker's id. */
export const WORKER_ID = "perago.worker_id";
/** Which implementation wrote the commit, `ts/<version>`. */
export const WRITER = "perago.writer";
/** Link to the workflow in Conductor's page; in this form lakeFS' own page shows a button. */
export const CONDUCTOR_LINK = "::lakefs::Conductor::url[url:ui]";
/** lakeFS' own key on a cherry-picked commit, which carries all metadata of its origin: always foreign (rule P2). */
export const CHERRY_PICK_ORIGIN = "cherry-pick-origin";

/** Every key that a confirm commit of this package carries (rule C1), without the link. */
export const CONFIRM_KEYS: readonly string[] = [
  PHASE,
  LOGICAL_TASK_KEY,
  TASK_ID,
  RETRY_COUNT,
  INPUT_REF,
  TARGET_BRANCH,
  PREFIX,
  STAGING_BRANCH,
  STAGING_COMMIT,
  EXPECTED_HEAD,
  SUPERSEDES,
  WORKFLOW_INSTANCE_ID,
  TASK_DEF_NAME,
  REFERENCE_TASK_NAME,
  SCHEDULED_TIME,
  WORKER_ID,
  WRITER,
];
