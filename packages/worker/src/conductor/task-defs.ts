import { z } from "zod";
import { unreadable } from "./classify.ts";
import type { ConductorHttp } from "./http.ts";
import { parseAnswer } from "./parse-answer.ts";
import { requireEngine404 } from "./read.ts";

const TASK_DEFS_TIMEOUT_MS = 15_000;

/** A task definition as the engine keeps it: plain JSON, with fields of the engine and of operators beside ours. */
export type RegisteredTaskDef = Readonly<Record<string, unknown>> & { readonly name: string };

const registeredSchema = z.looseObject({ name: z.string().min(1) });

/** Reads a registered task definition; undefined where none has that name. Throws `ConductorError`. */
export async function getTaskDef(http: ConductorHttp, name: string): Promise<RegisteredTaskDef | undefined> {
  const path = `/metadata/taskdefs/${encodeURIComponent(name)}`;
  const answer = await http.send({ method: "GET", path, timeoutMs: TASK_DEFS_TIMEOUT_MS, accept: [404] });
  if (answer.status === 404) {
    requireEngine404(http, `GET ${path}`, answer.text);
    return undefined;
  }
  if (answer.text.trim() === "") return undefined;
  const parsed = registeredSchema.safeParse(parseAnswer(http, `GET ${path}`, answer.text));
  if (!parsed.success) throw unreadable(`GET ${path}`, http.origin, z.prettifyError(parsed.error));
  return parsed.data;
}

/**
 * Writes task definitions. The engine overwrites what stands there without a word (case C13), so the caller reads and
 * shows the difference first. Throws `ConductorError`; a definition that the engine finds wrong is `conductor_refused`
 * with its words.
 */
export async function registerTaskDefs(http: ConductorHttp, definitions: readonly RegisteredTaskDef[]): Promise<void> {
  const bodyJson = JSON.stringify(definitions);
  await http.send({ method: "POST", path: "/metadata/taskdefs", bodyJson, timeoutMs: TASK_DEFS_TIMEOUT_MS });
}
