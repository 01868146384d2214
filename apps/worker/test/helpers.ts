import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import type { TaskContext, WorkspaceTaskContext } from "@perago/taskdef";
import { onTestFinished } from "vitest";

import { DATA_FOLDER } from "../scripts/lib/data-folder.ts";

/** An empty folder that is removed when the test has ended. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "perago-app-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of what is below a key prefix of `data/`, as a task with that prefix sees it. */
export async function dataWorkspace(prefix: string): Promise<string> {
  const folder = await temporaryFolder();
  await cp(join(fileURLToPath(DATA_FOLDER), prefix), folder, { recursive: true });
  return folder;
}

/** Writes a file, with the folders above it. */
export async function put(folder: string, path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

/** Every file below a folder with its bytes in hex. */
export async function snapshot(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = paths.toSorted().map(async (path) => [relative(folder, path), await readFile(path, "hex")]);
  return Object.fromEntries(await Promise.all(files));
}

/** What a body without a workspace is given; services that do nothing. */
export function contextFor<P>(params: P, signal: AbortSignal = new AbortController().signal): TaskContext<P> {
  const ignore = (): void => {};
  return {
    params,
    signal,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    metrics: { counter: ignore, gauge: ignore, histogram: ignore },
    progress: ignore,
    attempt: {
      workflowInstanceId: "wf-1",
      taskId: "task-1",
      retryCount: 0,
      taskDefName: "test",
      referenceTaskName: "test",
      iteration: 0,
      workerId: "test-0000",
    },
  };
}

/** What a body with a workspace is given, working in `path`. */
export function workspaceContextFor<P>(path: string, params: P, signal?: AbortSignal): WorkspaceTaskContext<P> {
  const workspace = { path, ref: "a".repeat(64), repository: "songs", branch: "main", prefix: "/", readOnly: false };
  return { ...contextFor(params, signal), workspace };
}
