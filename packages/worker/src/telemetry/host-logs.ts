import type { Counters } from "./counters.ts";
import { createLogger, type Log, type LogLevel, type LogSink } from "./log.ts";
import { prettyLine } from "./pretty.ts";
import { createRotatingFile, type RotatingFile } from "./rotating-file.ts";
import { createFdSink, type FdSink } from "./stderr-sink.ts";

/** What {@link createHostLogs} needs; sizes and times are those of the settings. */
export interface HostLogsOptions {
  /** `PERAGO_LOG_ROOT`. */
  readonly root: string;
  /** `PERAGO_LOG_FILE_MAX_SIZE`, bytes. */
  readonly maxSizeBytes: number;
  /** `PERAGO_LOG_RETENTION`, milliseconds. */
  readonly retentionMs: number;
  readonly secrets: readonly string[];
  readonly counters: Counters;
  readonly level?: LogLevel;
  /** One pretty line instead of JSON on stderr. Default: whether stderr is a terminal. */
  readonly pretty?: boolean;
  /** Where the host's own lines are shown. Default stderr. */
  readonly stderr?: FdSink;
  /** Shows what bodies log and print, too. Default false: their files only. */
  readonly showBodies?: boolean;
  readonly nowMs?: () => number;
}

/** All logs of one host: one rotating file per worker id, and stderr. */
export interface HostLogs {
  /** The host's own lines: stderr, and the file `host.jsonl`. */
  readonly host: Log;
  /** Lines about the attempts of one worker id: stderr, and its file. */
  worker(workerId: string): Log;
  /** What a task's body logs and prints: the worker id's file, and stderr where `showBodies` says so. */
  body(workerId: string): Log;
  /** Removes rotated files past the retention. */
  sweep(): void;
  /** Waits for stderr and closes the files. */
  close(): Promise<void>;
}

/** Opens the logs of a host. Files are made with their first line. */
export function createHostLogs(options: HostLogsOptions): HostLogs {
  const { counters, secrets, root, maxSizeBytes, retentionMs } = options;
  const nowMs = options.nowMs ?? Date.now;
  const level = options.level ?? "info";
  const isPretty = options.pretty ?? process.stderr.isTTY;
  const stderr = options.stderr ?? createFdSink(isPretty ? { format: prettyLine } : {});
  const files = new Map<string, RotatingFile>();
  const fileOf = remembered(files, (name) => createRotatingFile({ root, name, maxSizeBytes, retentionMs, nowMs }));
  const logTo = (sinks: readonly LogSink[], fields: Record<string, unknown>): Log =>
    createLogger({ sinks, level, secrets, counters, fields, nowMs });
  return {
    host: logTo([stderr, fileOf("host")], {}),
    worker: remembered(new Map<string, Log>(), (workerId) => logTo([stderr, fileOf(workerId)], { workerId })),
    body: (workerId) =>
      logTo(options.showBodies === true ? [stderr, fileOf(workerId)] : [fileOf(workerId)], {
        workerId,
        source: "body",
      }),
    sweep: () => {
      for (const file of files.values()) file.sweep();
    },
    close: async () => {
      await stderr.flush();
      for (const file of files.values()) file.close();
    },
  };
}

/** Makes a value for each name once: an attempt asks for its slot's log, and a logger is no small thing to make. */
function remembered<T>(known: Map<string, T>, make: (name: string) => T): (name: string) => T {
  return (name) => {
    const value = known.get(name) ?? make(name);
    known.set(name, value);
    return value;
  };
}
