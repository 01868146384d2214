import type { Context, Hono } from "hono";
import type { ConductorControls } from "../engine/controls.ts";
import type { Core } from "../engine/core.ts";
import { pollTasks, SINGLE_POLL_TIMEOUT_MS } from "../engine/poll.ts";
import { updateTask } from "../engine/update.ts";
import { internal, notFound } from "../errors.ts";
import { Fields } from "../fields.ts";
import { isTaskEnded } from "../model/run.ts";
import { readTaskResult, RESULT_STATES } from "../model/task-result.ts";
import { taskView } from "../model/views.ts";
import { emptyAnswer, jsonAnswer, pathPart, queryInt, queryText, readJson, textAnswer } from "./answers.ts";

/** Default wait of a batch poll, milliseconds (tried). */
const BATCH_POLL_TIMEOUT_MS = 100;

/** Polls. */
export function pollRoutes(app: Hono, core: Core, controls: ConductorControls): void {
  app.get("/api/tasks/poll/batch/:type", async (c) => {
    const tasks = await pollTasks(core, controls, {
      ...pollOf(c),
      count: queryInt(c, "count", 1),
      timeoutMs: queryInt(c, "timeout", BATCH_POLL_TIMEOUT_MS),
    });
    return jsonAnswer(tasks.map(taskView));
  });
  app.get("/api/tasks/poll/:type", async (c) => await singlePoll(core, controls, pollOf(c)));
}

/** Reports and reads of single tasks. */
export function taskRoutes(app: Hono, core: Core, controls: ConductorControls): void {
  app.post("/api/tasks", async (c) => {
    const result = readTaskResult(await readJson(c), "updateTask");
    await updateTask(core, controls, result);
    return textAnswer(result.taskId);
  });
  app.post("/api/tasks/update-v2", async (c) => {
    const result = readTaskResult(await readJson(c), "updateTask");
    const task = await updateTask(core, controls, result);
    if (task === undefined) return emptyAnswer(204);
    const { taskType, domain } = task;
    return await singlePoll(core, controls, { taskType, domain, workerId: result.workerId });
  });
  app.post("/api/tasks/:workflow/:reference/:status", async (c) => await updateByReference(c, core, controls));
  app.get("/api/tasks/:id", (c) => {
    const task = core.runs.task(pathPart(c, "id"));
    if (task === undefined) throw notFound(`Task not found for taskId: ${pathPart(c, "id")}`);
    return jsonAnswer(taskView(task));
  });
  app.post("/api/tasks/:id/log", async (c) => {
    core.logs.add(pathPart(c, "id"), await c.req.text(), core.clock.nowMs());
    return emptyAnswer();
  });
  app.get("/api/tasks/:id/log", (c) => {
    const lines = core.logs.lines(pathPart(c, "id"));
    return lines.length === 0 ? emptyAnswer(204) : jsonAnswer(lines);
  });
}

/** Sizes of queues and who polls them. */
export function queueRoutes(app: Hono, core: Core): void {
  app.get("/api/tasks/queue/all", () => jsonAnswer(core.queues.sizes()));
  app.get("/api/tasks/queue/sizes", (c) => {
    const types = c.req.queries("taskType");
    if (types === undefined) throw internal("taskType is missing");
    return jsonAnswer(Object.fromEntries(types.map((type) => [type, core.queues.size(type)])));
  });
  app.get("/api/tasks/queue/size", (c) => {
    const [type, domain] = [queryText(c, "taskType") ?? "", queryText(c, "domain")];
    return jsonAnswer(core.queues.size(domain === undefined ? type : `${domain}:${type}`));
  });
  app.get("/api/tasks/queue/polldata", (c) => jsonAnswer(core.queues.polls(queryText(c, "taskType") ?? "")));
}

interface PollTarget {
  readonly taskType: string;
  readonly domain: string | undefined;
  readonly workerId: string | undefined;
}

function pollOf(c: Context): PollTarget {
  return { taskType: pathPart(c, "type"), domain: queryText(c, "domain"), workerId: queryText(c, "workerid") };
}

async function singlePoll(core: Core, controls: ConductorControls, target: PollTarget): Promise<Response> {
  const [task] = await pollTasks(core, controls, { ...target, count: 1, timeoutMs: SINGLE_POLL_TIMEOUT_MS });
  return task === undefined ? emptyAnswer(204) : jsonAnswer(taskView(task));
}

/** Reports for the open task of a reference name; without one nothing happens (tried). */
async function updateByReference(c: Context, core: Core, controls: ConductorControls): Promise<Response> {
  const [workflowInstanceId, reference] = [pathPart(c, "workflow"), pathPart(c, "reference")];
  const status = new Fields({ status: pathPart(c, "status") }, "TaskResult").word("status", RESULT_STATES);
  const outputData = new Fields({ output: await readJson(c) }, "TaskResult").object("output");
  const task = core.runs
    .tasksOf(workflowInstanceId)
    .find((one) => one.referenceTaskName === reference && !isTaskEnded(one.status));
  if (task === undefined) return emptyAnswer();
  const result = readTaskResult({ workflowInstanceId, taskId: task.taskId, outputData }, "updateTask");
  await updateTask(core, controls, {
    ...result,
    status: status ?? "COMPLETED",
    workerId: queryText(c, "workerid"),
  });
  return textAnswer(task.taskId);
}
