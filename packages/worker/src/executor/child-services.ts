import type { LogFields, ProgressUpdate, TaskLog, TaskMetrics, TaskProgress } from "@perago/taskdef";
import { cut, cutAny } from "../telemetry/line.ts";
import type { ChildChannel } from "./child-channel.ts";
import { MAX_NOTES_PER_SECOND, MAX_TEXT_LENGTH } from "./limits.ts";
import type { Note } from "./messages.ts";

// Taken before a module can replace it (fault J7).
const { stringify } = JSON;
const WINDOW_MS = 1_000;
const MAX_LABEL_LENGTH = 200;

/** What a body is given beside workspace and params; none of it can fail the body. */
export interface BodyServices {
  readonly log: TaskLog;
  readonly metrics: TaskMetrics;
  readonly progress: TaskProgress;
}

/** Services that send notes to the host, at most so many in a second; the rest is dropped and counted. */
export function createServices(channel: ChildChannel): BodyServices {
  const now = performance.now.bind(performance);
  let windowStartMs = now();
  let windowCount = 0;
  let lostCount = 0;
  const mayNote = (): boolean => {
    if (now() - windowStartMs >= WINDOW_MS) {
      windowStartMs = now();
      windowCount = 0;
    }
    windowCount += 1;
    return windowCount <= MAX_NOTES_PER_SECOND;
  };
  const note = (make: () => Note): void => {
    if (mayNote()) void channel.send(make());
  };
  const logAt =
    (level: keyof TaskLog) =>
    (message: string, fields?: LogFields): void => {
      if (!mayNote()) {
        lostCount += 1;
        return;
      }
      const fieldsJson = fields === undefined ? {} : { fieldsJson: fieldsText(fields) };
      void channel.send({
        type: "log",
        level,
        message: cutAny(message, MAX_TEXT_LENGTH),
        ...fieldsJson,
        lostCount,
      });
      lostCount = 0;
    };
  const metric =
    (kind: "counter" | "gauge" | "histogram") =>
    (name: string, value = 1, labels = {}): void => {
      if (!Number.isFinite(value) || (kind === "counter" && value < 0)) return;
      note(() => ({
        type: "metric",
        kind,
        name: cutAny(name, MAX_LABEL_LENGTH),
        value,
        labels: plainLabels(labels),
      }));
    };
  return {
    log: { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") },
    metrics: { counter: metric("counter"), gauge: metric("gauge"), histogram: metric("histogram") },
    progress: (update) => note(() => progressNote(update)),
  };
}

function fieldsText(fields: LogFields): string {
  const seen = new Set<object>();
  try {
    const json = stringify(fields, (_key, value: unknown) => {
      if (typeof value === "bigint") return String(value);
      if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack };
      if (typeof value !== "object" || value === null) return value;
      // Shared objects are shown once as well: cheaper than telling them from cycles, and enough for a log.
      if (seen.has(value)) return "[seen above]";
      seen.add(value);
      return value;
    });
    return cut(json, MAX_TEXT_LENGTH);
  } catch {
    return stringify("fields that cannot be shown");
  }
}

function plainLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(labels).slice(0, 20);
  return Object.fromEntries(
    entries.map(([key, value]) => [cut(key, MAX_LABEL_LENGTH), cutAny(value, MAX_LABEL_LENGTH)]),
  );
}

function progressNote(update: string | ProgressUpdate): Note {
  if (typeof update === "string") return { type: "progress", message: cut(update, MAX_TEXT_LENGTH) };
  const { percent, done, total, message } = update;
  return {
    type: "progress",
    ...(isFiniteNumber(percent) ? { percent } : {}),
    ...(isFiniteNumber(done) ? { done } : {}),
    ...(isFiniteNumber(total) ? { total } : {}),
    ...(message === undefined ? {} : { message: cutAny(message, MAX_TEXT_LENGTH) }),
  };
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
