import path from "node:path";
import { hideHostPaths, type RootNames } from "../telemetry/host-paths.ts";
import { cut } from "../telemetry/line.ts";
import type { Redactor } from "../telemetry/redact.ts";

/** What a text from an executor must not show (rule R3). */
export interface CleaningContext {
  readonly redactor: Redactor;
  readonly rootNames: RootNames;
  readonly workspacePath?: string;
}

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
  return cut(hideHostPaths(clean, context.rootNames), maxLength);
}
