/** One row of the table of settings. */
export interface SettingDescription {
  readonly name: string;
  /** How the value is written. */
  readonly form: "url" | "text" | "path" | "size" | "duration" | "number" | "choice" | "patterns";
  /** As it would be written; absent where there is none. */
  readonly default?: string;
  /** Masked wherever settings are shown. */
  readonly secret: boolean;
  readonly text: string;
}

const TABLE: readonly SettingDescription[] = [
  {
    name: "CONDUCTOR_SERVER_URL",
    form: "url",
    secret: false,
    text: "Conductor's API, ending in /api. Needed by start and register.",
  },
  {
    name: "CONDUCTOR_AUTH_KEY",
    form: "text",
    secret: true,
    text: "Key id, where the engine asks for one; together with the secret.",
  },
  { name: "CONDUCTOR_AUTH_SECRET", form: "text", secret: true, text: "Key secret; together with the key id." },
  {
    name: "CONDUCTOR_WORKER_ALL_DOMAIN",
    form: "text",
    secret: false,
    text: "Task domain of all tasks. CONDUCTOR_WORKER_<TASK>_DOMAIN sets one task's, and --domain wins over both.",
  },
  {
    name: "LAKECTL_SERVER_ENDPOINT_URL",
    form: "url",
    secret: false,
    text: "lakeFS, without /api/v1. The three LAKECTL variables are needed where a task has a workspace.",
  },
  { name: "LAKECTL_CREDENTIALS_ACCESS_KEY_ID", form: "text", secret: false, text: "lakeFS access key id." },
  { name: "LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY", form: "text", secret: true, text: "lakeFS secret access key." },
  {
    name: "PERAGO_WORKSPACE_ROOT",
    form: "path",
    default: "<tmp>/perago/workspaces",
    secret: false,
    text: "Folder for the attempts' workspaces, on a local disk. One host per root.",
  },
  {
    name: "PERAGO_WORKSPACE_MIN_FREE",
    form: "size",
    default: "512MB",
    secret: false,
    text: "No task is polled while the workspace disk has less free space.",
  },
  {
    name: "PERAGO_WORKSPACE_GC_TTL",
    form: "duration",
    default: "24h",
    secret: false,
    text: "Age at which an abandoned workspace folder is removed.",
  },
  {
    name: "PERAGO_WORKSPACE_GC_INTERVAL",
    form: "duration",
    default: "1h",
    secret: false,
    text: "Time between two looks for abandoned folders, at most 24d.",
  },
  {
    name: "PERAGO_BRANCH_GC_TTL",
    form: "duration",
    default: "7d",
    secret: false,
    text: "Age at which an abandoned staging branch is removed, at least 1h; by lakeFS' clock.",
  },
  {
    name: "PERAGO_BRANCH_GC_INTERVAL",
    form: "duration",
    default: "6h",
    secret: false,
    text: "Time between two looks for abandoned staging branches, where the host has staged; at most 24d.",
  },
  {
    name: "PERAGO_CACHE_ROOT",
    form: "path",
    default: "<tmp>/perago/cache",
    secret: false,
    text: "Folder for the local cache of lakeFS objects, of this user alone; its hosts may share it.",
  },
  {
    name: "PERAGO_CACHE_MAX_SIZE",
    form: "size",
    default: "10GB",
    secret: false,
    text: "Largest size of the local cache, at most half of what its disk has for it; 0 switches it off.",
  },
  {
    name: "PERAGO_LOG_ROOT",
    form: "path",
    default: "<tmp>/perago/logs",
    secret: false,
    text: "Folder for the log files, one per worker id.",
  },
  {
    name: "PERAGO_LOG_FILE_MAX_SIZE",
    form: "size",
    default: "100MB",
    secret: false,
    text: "Size at which a log file is rotated.",
  },
  {
    name: "PERAGO_LOG_RETENTION",
    form: "duration",
    default: "30d",
    secret: false,
    text: "Age at which a rotated log file is removed.",
  },
  {
    name: "PERAGO_LOG_LEVEL",
    form: "choice",
    default: "info",
    secret: false,
    text: "debug, info, warn or error: lines below it are dropped. debug shows each phase of an attempt with its time.",
  },
  {
    name: "PERAGO_WORKER_ID_PREFIX",
    form: "text",
    default: "<host name>-<6 random letters>",
    secret: false,
    text: "Conductor's worker id of this host, unique among all hosts of one engine: never give it to two replicas.",
  },
  {
    name: "PERAGO_EXECUTION_MODE",
    form: "choice",
    default: "process",
    secret: false,
    text: "How task bodies run: process, or thread of the host: no isolation, for tasks that write no workspace only.",
  },
  {
    name: "PERAGO_FAILURE_REASON_MAX_LENGTH",
    form: "number",
    default: "500",
    secret: false,
    text: "Letters of a failure's reason. Conductor itself cuts at 500.",
  },
  {
    name: "PERAGO_HARD_FENCE",
    form: "choice",
    default: "auto",
    secret: false,
    text: "The hard fence. off: not read. auto: used where it is in force. required: nothing is published without it.",
  },
  {
    name: "PERAGO_OUTPUT_MAX_SIZE",
    form: "size",
    default: "3000000B",
    secret: false,
    text: "Largest output of a task. Conductor drops outputs over 3 MiB silently unless it is set up otherwise.",
  },
  {
    name: "PERAGO_ALLOWED_TARGETS",
    form: "patterns",
    secret: false,
    text:
      "Targets that tasks may name, as repository/branch, with commas between: songs/main, songs/*. " +
      "* is any run of letters within a name, ? one letter. Unset: all. Staging branches never.",
  },
  {
    name: "PERAGO_SHUTDOWN_FORCE_KILL_AFTER",
    form: "duration",
    secret: false,
    text: "Time after SIGTERM at which running bodies are ended and reported FAILED. Unset: they may finish.",
  },
];

/** Every variable that the worker reads, with its form and default, for the table of the documents and for `--help`. */
export function describeSettings(): readonly SettingDescription[] {
  return TABLE;
}
