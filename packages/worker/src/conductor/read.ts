import { z } from "zod";
import type { TaskRead } from "../attempt/ports/attempt-source.ts";
import { unreadable } from "./classify.ts";
import type { ConductorHttp } from "./http.ts";
import { parseAnswer } from "./parse-answer.ts";
import { wireIdentitySchema } from "./polled-task.ts";

const snapshotSchema = wireIdentitySchema.extend({ outputData: z.unknown() });

/**
 * Reads one task fresh (rules A1, R6, R8). Null where the engine does not know it: a 404, or an empty answer, by engine
 * version (case R14). Throws `ConductorError`.
 */
export async function readTask(http: ConductorHttp, taskId: string, timeoutMs: number): Promise<TaskRead | null> {
  const path = `/tasks/${encodeURIComponent(taskId)}`;
  const answer = await http.send({ method: "GET", path, timeoutMs, accept: [404] });
  if (answer.status === 404) {
    // "No such task" is the engine's word; a 404 of something else must not look like one.
    requireEngine404(http, `GET ${path}`, answer.text);
    return null;
  }
  if (answer.text.trim() === "") return null;
  const parsed = snapshotSchema.safeParse(parseAnswer(http, `GET ${path}`, answer.text));
  if (!parsed.success) throw unreadable(`GET ${path}`, http.origin, z.prettifyError(parsed.error));
  const { outputData, ...attempt } = parsed.data;
  const output = isRecord(outputData) ? outputData : {};
  const workspace = output["workspace"];
  const ref = isRecord(workspace) ? workspace["ref"] : undefined;
  return {
    ...attempt,
    ...(typeof ref === "string" ? { outputRef: ref } : {}),
    hasResult: Object.hasOwn(output, "result"),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const engine404Schema = z.object({ status: z.literal(404), message: z.string() });

/** Tells the engine's 404 from a proxy's or a wrong address' one, which is no knowledge at all (case R10, case R14). */
export function requireEngine404(http: ConductorHttp, what: string, text: string): void {
  if (text.trim() === "") return;
  const parsed = engine404Schema.safeParse(parseAnswer(http, what, text));
  if (!parsed.success || parsed.data.message.startsWith("No static resource")) {
    throw unreadable(what, http.origin, `404 ${text}`);
  }
}
