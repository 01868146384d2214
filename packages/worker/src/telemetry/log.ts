import { pino, type Logger } from "pino";
import type { Counters } from "./counters.ts";
import { cut, MAX_LINE_BYTES, safeJson } from "./line.ts";
import { createRedactor } from "./redact.ts";

/** Levels, least first. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
/** One level. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Values beside the message. Plain data; an Error becomes `{name, message, code, stack}`. */
export type Fields = Readonly<Record<string, unknown>>;

/** The log as everybody here uses it. No method throws, waits for a reader, or makes one event two lines (fault J5). */
export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** The same log with these fields on every line; a later field of the same name wins. */
  child(fields: Fields): Log;
}

/** Takes one finished line without its newline. Answers false where the line was lost; never throws. */
export interface LogSink {
  write(line: string): boolean;
}

/** What {@link createLogger} needs. */
export interface LoggerOptions {
  readonly sinks: readonly LogSink[];
  /** Lines below it are dropped. Default `info`. */
  readonly level?: LogLevel;
  /** Secret values that no line may show, in no form ({@link createRedactor}). */
  readonly secrets?: readonly string[];
  /** `log_lines_lost` is counted here. */
  readonly counters?: Counters;
  readonly fields?: Fields;
  /** Wall clock. Default `Date.now`. */
  readonly nowMs?: () => number;
}

const MAX_MESSAGE_LENGTH = 16 * 1024;
const RESERVED_FIELDS: ReadonlySet<string> = new Set(["level", "time", "msg"]);

/** Makes a log that writes JSON lines (`level`, `time`, `msg`, fields) to every sink, redacted. */
export function createLogger(options: LoggerOptions): Log {
  const redactor = createRedactor(options.secrets ?? []);
  const nowMs = options.nowMs ?? Date.now;
  const sinks = options.sinks.map((sink) => ({ sink, lostCount: 0 }));
  const stamp = (): string => new Date(nowMs()).toISOString();

  const send = (line: string): void => {
    for (const state of sinks) {
      if (state.lostCount > 0) {
        const notice = { level: "warn", time: stamp(), msg: "log lines were lost", lostCount: state.lostCount };
        if (tryWrite(state.sink, JSON.stringify(notice))) state.lostCount = 0;
      }
      if (tryWrite(state.sink, line)) continue;
      state.lostCount += 1;
      options.counters?.increment("log_lines_lost");
    }
  };
  const destination = {
    write: (raw: string): void => {
      const line = safeJson(redactor.redact(raw.trimEnd()));
      send(Buffer.byteLength(line) < MAX_LINE_BYTES ? line : shortened(line));
    },
  };
  const root = pino(
    {
      level: options.level ?? "info",
      base: null,
      timestamp: () => `,"time":"${stamp()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // The bounds on depth and width keep a body's giant object from stopping the host.
      depthLimit: 8,
      edgeLimit: 200,
    },
    destination,
  );
  return wrap(root, options.fields ?? {}, (): void => options.counters?.increment("log_lines_lost"));
}

/** What is below the level ends here: nothing is made of its fields. */
function dropped(): void {}

/** A log that keeps nothing: for callers that need one and have none. */
export const SILENT_LOG: Log = {
  debug: dropped,
  info: dropped,
  warn: dropped,
  error: dropped,
  child: () => SILENT_LOG,
};

function wrap(root: Logger, bindings: Fields, onLost: () => void): Log {
  const at = (level: LogLevel): Log[LogLevel] => {
    if (!root.isLevelEnabled(level)) return dropped;
    return (message, fields) => {
      try {
        root[level](plainFields({ ...bindings, ...fields }), "%s", cut(message, MAX_MESSAGE_LENGTH));
      } catch {
        // A field whose getter throws, for one.
        onLost();
      }
    };
  };
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => wrap(root, { ...bindings, ...fields }, onLost),
  };
}

function plainFields(fields: Fields): Record<string, unknown> {
  // Fields never take the place of what we write ourselves.
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [RESERVED_FIELDS.has(key) ? `field_${key}` : key, plainValue(value)]),
  );
}

function plainValue(value: unknown): unknown {
  if (typeof value === "string") return cut(value, MAX_MESSAGE_LENGTH);
  if (!(value instanceof Error)) return value;
  const code = "code" in value && typeof value.code === "string" ? { code: value.code } : {};
  return {
    name: value.name,
    message: cut(value.message, MAX_MESSAGE_LENGTH),
    ...code,
    stack: cut(value.stack ?? "", MAX_MESSAGE_LENGTH),
  };
}

function tryWrite(sink: LogSink, line: string): boolean {
  try {
    return sink.write(line);
  } catch {
    return false;
  }
}

function shortened(line: string): string {
  const level = /^\{"level":"(\w+)","time":"([^"]+)"/.exec(line);
  const head = { level: level?.[1] ?? "info", time: level?.[2] ?? "", msg: "a log line was too long and is cut" };
  return JSON.stringify({ ...head, cut: cut(line, MAX_LINE_BYTES / 8) });
}
