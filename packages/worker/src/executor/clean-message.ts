import path from "node:path";
import { cut } from "../telemetry/line.ts";
import type { Redactor } from "../telemetry/redact.ts";

/** What a text from an executor must not show (rule R3). */
export interface CleaningContext {
  readonly redactor: Redactor;
  /** Names directly below the host's `/`: an absolute path that begins with one is a path of this host. */
  readonly rootNames: ReadonlySet<string>;
  readonly workspacePath?: string;
}

const ABSOLUTE_PATH = /(?<![\w.:~/-])\/([\w.@+-]+)((?:\/[\w.@+~-]+)*)\/?/g;

/**
 * Makes a text of user code fit for a reason: without secrets; the workspace's path becomes a relative one; of any
 * other absolute path of this host the last part stays. Paths that are none of this host, like a lakeFS prefix, stay.
 */
export function cleanMessage(text: string, context: CleaningContext, maxLength: number): string {
  let clean = context.redactor.redact(text).replaceAll("file:///", "/");
  const workspace = context.workspacePath;
  if (workspace !== undefined && workspace.length > 1) {
    clean = clean.replaceAll(`${workspace}${path.sep}`, "").replaceAll(workspace, ".");
  }
  clean = clean.replace(ABSOLUTE_PATH, (whole, first: string, rest: string) =>
    context.rootNames.has(first) ? `.../${path.posix.basename(`/${first}${rest}`)}` : whole,
  );
  return cut(clean, maxLength);
}
