import type { Clock } from "../attempt/ports/clock.ts";
import { unreadable } from "./classify.ts";
import type { ConductorHttp } from "./http.ts";
import { parseAnswer } from "./parse-answer.ts";
import type { PollAsk } from "./poll-decision.ts";
import { parsePolledTask, type ParsedTask, type UnreadableTask } from "./polled-task.ts";

/**
 * What a poll may take beyond its own waiting. Long, because a task in an answer that nobody reads waits out its
 * response timeout (fault E8).
 */
export const POLL_GRACE_MS = 15_000;

/** What one poll brought. */
export interface PollAnswer {
  readonly tasks: readonly ParsedTask[];
  readonly unreadable: readonly UnreadableTask[];
}

/** Asks for tasks of one type. Sends one request and never repeats it. Throws `ConductorError`. */
export async function pollTasks(
  http: ConductorHttp,
  clock: Clock,
  request: PollAsk & { readonly taskName: string; readonly workerId: string; readonly domain?: string },
): Promise<PollAnswer> {
  const path = `/tasks/poll/batch/${encodeURIComponent(request.taskName)}`;
  const pollSentAtMs = clock.nowMs();
  const answer = await http.send({
    method: "GET",
    path,
    query: {
      workerid: request.workerId,
      count: request.count,
      timeout: request.timeoutMs,
      domain: request.domain,
    },
    timeoutMs: request.timeoutMs + POLL_GRACE_MS,
  });
  const receivedAtMs = clock.nowMs();
  if (answer.text.trim() === "") return { tasks: [], unreadable: [] };
  const wire = parseAnswer(http, `GET ${path}`, answer.text);
  if (!Array.isArray(wire)) throw unreadable(`GET ${path}`, http.origin, "not a list of tasks");
  const tasks: ParsedTask[] = [];
  const unreadableTasks: UnreadableTask[] = [];
  for (const element of wire) {
    const parsed = parsePolledTask(element, { pollSentAtMs, receivedAtMs });
    if (parsed.ok) tasks.push(parsed.task);
    else unreadableTasks.push(parsed.unreadable);
  }
  return { tasks, unreadable: unreadableTasks };
}
