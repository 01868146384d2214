import type { Clock } from "../attempt/ports/clock.ts";
import type { Counters } from "../telemetry/counters.ts";
import type { Log } from "../telemetry/log.ts";
import type { MetricNote, ProgressNote } from "./messages.ts";

/** What an `ExecutorPool` needs from its host. */
export interface ExecutorPoolOptions {
  readonly clock: Clock;
  /** The host's environment, which executors get scrubbed. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Further names that executors must not see. */
  readonly secretNames?: readonly string[];
  /** Secret values that no reason and no log line may show. */
  readonly secrets?: readonly string[];
  /** Marks all processes of this host, e.g. a hash of its workspace root; see `endStrays` (case S06). */
  readonly hostMark: string;
  /** The host's log, for starts, ends and "cannot start". Default: none. */
  readonly log?: Log;
  /** Where the output of executors and the `log` of bodies go. Default: nowhere. */
  readonly bodyLog?: (workerId: string) => Log;
  /** `log_lines_lost` is counted here. */
  readonly counters?: Counters;
  readonly onMetric?: (workerId: string, metric: MetricNote) => void;
  readonly onProgress?: (workerId: string, progress: ProgressNote) => void;
  /** `PERAGO_OUTPUT_MAX_SIZE`, bytes (rule I3). Default 3,000,000. */
  readonly outputLimitBytes?: number;
  /** Executions before a process is replaced. Default 200. */
  readonly maxExecutions?: number;
  /**
   * Resident memory above which a process is replaced after an execution; heap above which a thread is, and at which
   * it is ended. Default 512 MiB.
   */
  readonly maxRssBytes?: number;
  /** Time from fork to the loaded module. Default 30 s. */
  readonly startTimeoutMs?: number;
  /** What carries executors. Threads are for tasks that write no workspace. Default process. */
  readonly mode?: "process" | "thread";
  /** Further Node flags of executor processes, e.g. `--max-old-space-size=2048`. Default none. */
  readonly nodeFlags?: readonly string[];
}

/** What one slot needs: the pool's options, and what the pool has made of them. */
export interface SlotOptions extends ExecutorPoolOptions {
  readonly workerId: string;
  readonly log: Log;
  /** Makes a text of user code fit for a reason (rule R3). */
  readonly clean: (text: string, workspacePath?: string) => string;
}
