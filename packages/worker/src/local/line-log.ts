import type { Fields, Log, LogLevel } from "../telemetry/log.ts";

/** What a body logs or prints. */
export interface LocalLogLine {
  readonly level: LogLevel;
  readonly message: string;
  /** What the body gave beside the message; `stream` for a line that it printed. */
  readonly fields: Fields;
}

/** A log that tells each line to a function. */
export function lineLog(tell: (line: LocalLogLine) => void, bound: Fields = {}): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: Fields = {}): void =>
      tell({ level, message, fields: { ...bound, ...fields } });
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => lineLog(tell, { ...bound, ...fields }),
  };
}

/** The line as its body wrote it: an executor's fields come below a name of their own. */
export function asBodyLine({ level, message, fields }: LocalLogLine): LocalLogLine {
  const given = fields["fields"];
  const isGiven = typeof given === "object" && given !== null;
  return { level, message, fields: isGiven ? { ...given } : fields };
}
