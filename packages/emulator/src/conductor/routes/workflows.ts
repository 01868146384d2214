import type { Hono } from "hono";
import { pauseRun, rerunRun, restartRun, resumeRun, retryRun, terminateRun } from "../decider/admin.ts";
import { decideDraft } from "../decider/decide.ts";
import type { Core } from "../engine/core.ts";
import { startWorkflow, withTaskDefinitions } from "../engine/start.ts";
import { badRequest, invalid, notFound, notHere } from "../errors.ts";
import { Fields } from "../fields.ts";
import { isJsonObject, type Json } from "../json.ts";
import { isWorkflowEnded } from "../model/run.ts";
import { workflowView } from "../model/views.ts";
import type { WorkflowDef } from "../model/workflow-def.ts";
import { emptyAnswer, jsonAnswer, pathPart, queryInt, queryText, readJson, textAnswer } from "./answers.ts";
import { checkedWorkflowDef, requireWorkflowDef } from "./metadata.ts";

/** Starting workflows and reading them. */
export function workflowRoutes(app: Hono, core: Core): void {
  app.post("/api/workflow", async (c) => textAnswer(startByRequest(core, await readJson(c))));
  app.post("/api/workflow/:name", async (c) => {
    const input = new Fields({ input: await readJson(c) }, "StartWorkflow").object("input");
    const version = queryText(c, "version") === undefined ? undefined : queryInt(c, "version", 1);
    const def = requireWorkflowDef(core, pathPart(c, "name"), version);
    const correlationId = queryText(c, "correlationId");
    return textAnswer(
      startWorkflow(core, { def, input, correlationId, priority: queryInt(c, "priority", 0), taskToDomain: {} }),
    );
  });
  app.get("/api/workflow/running/:name", (c) => jsonAnswer(core.runs.runningIds(pathPart(c, "name"))));
  app.get("/api/workflow/:id", (c) => {
    const state = core.runs.run(pathPart(c, "id"));
    if (state === undefined) throw unknownWorkflow(pathPart(c, "id"));
    const hasTasks = c.req.query("includeTasks") !== "false";
    return jsonAnswer(workflowView(state.workflow, hasTasks ? state.tasks : []));
  });
  app.get("/api/workflow/:id/status", (c) => {
    const workflow = core.runs.workflow(pathPart(c, "id"));
    if (workflow === undefined) throw unknownWorkflow(pathPart(c, "id"));
    const { workflowId, status, output, variables, correlationId } = workflow;
    return jsonAnswer({
      workflowId,
      status,
      correlationId,
      output: c.req.query("includeOutput") === "true" ? output : undefined,
      variables: c.req.query("includeVariables") === "true" ? variables : undefined,
    });
  });
}

/** What people do with a running or ended workflow. */
export function workflowAdminRoutes(app: Hono, core: Core): void {
  app.delete("/api/workflow/:id", (c) => {
    core.change(pathPart(c, "id"), (draft) => terminateRun(draft, queryText(c, "reason")));
    return emptyAnswer();
  });
  app.put("/api/workflow/decide/:id", (c) => {
    core.change(pathPart(c, "id"), decideDraft);
    return emptyAnswer();
  });
  app.put("/api/workflow/:id/pause", (c) => {
    core.change(pathPart(c, "id"), pauseRun);
    return emptyAnswer();
  });
  app.put("/api/workflow/:id/resume", (c) => {
    core.change(pathPart(c, "id"), resumeRun);
    return emptyAnswer();
  });
  app.post("/api/workflow/:id/retry", (c) => {
    core.change(pathPart(c, "id"), retryRun);
    return emptyAnswer(204);
  });
  app.post("/api/workflow/:id/restart", (c) => {
    core.change(pathPart(c, "id"), (draft) => {
      const isLatest = c.req.query("useLatestDefinitions") === "true" && isWorkflowEnded(draft.workflow.status);
      restartRun(draft, isLatest ? latestDef(core, draft.workflow.workflowDefinition.name) : undefined);
    });
    return emptyAnswer(204);
  });
  app.post("/api/workflow/:id/rerun", async (c) => {
    const fields = new Fields(await readJson(c), "RerunWorkflowRequest");
    const taskInput = fields.raw("taskInput");
    const workflowInput = fields.raw("workflowInput");
    core.change(pathPart(c, "id"), (draft) =>
      rerunRun(draft, {
        taskId: fields.text("reRunFromTaskId"),
        taskInput: isJsonObject(taskInput) ? taskInput : undefined,
        workflowInput: isJsonObject(workflowInput) ? workflowInput : undefined,
        correlationId: fields.text("correlationId"),
      }),
    );
    return textAnswer(pathPart(c, "id"));
  });
  removalRoutes(app, core);
}

function removalRoutes(app: Hono, core: Core): void {
  app.delete("/api/workflow/:id/remove", (c) => {
    const id = pathPart(c, "id");
    const workflow = core.runs.workflow(id);
    if (workflow === undefined) throw unknownWorkflow(id);
    if (c.req.query("archiveWorkflow") !== "false" && !isWorkflowEnded(workflow.status)) {
      throw badRequest(`Cannot archive workflow: ${id} with status: ${workflow.status}`);
    }
    core.transaction(() => core.runs.removeWorkflow(id));
    return emptyAnswer();
  });
  app.delete("/api/workflow/:id/terminate-remove", (c) => {
    const id = pathPart(c, "id");
    core.change(id, (draft) => terminateRun(draft, queryText(c, "reason")));
    core.transaction(() => core.runs.removeWorkflow(id));
    return emptyAnswer();
  });
}

function startByRequest(core: Core, body: Json): string {
  const fields = new Fields(body, "StartWorkflowRequest");
  const name = fields.text("name") ?? "";
  if (name === "") {
    throw invalid([{ path: "startWorkflow.arg0.name", message: "Workflow name cannot be null or empty" }]);
  }
  for (const field of ["externalInputPayloadStoragePath", "idempotencyKey"]) {
    if (fields.raw(field) !== undefined) throw notHere(`field ${field} of a start`);
  }
  const domains = Object.entries(fields.object("taskToDomain")).map(([type, domain]) => [type, String(domain)]);
  return startWorkflow(core, {
    def: definitionToStart(core, fields, name),
    input: fields.object("input"),
    correlationId: fields.text("correlationId"),
    priority: fields.int("priority", 0),
    taskToDomain: Object.fromEntries(domains),
  });
}

function definitionToStart(core: Core, fields: Fields, name: string): WorkflowDef {
  const inline = fields.raw("workflowDef");
  if (inline !== undefined) return checkedWorkflowDef(inline, "startWorkflow");
  const version = fields.optionalInt("version");
  const def = core.definitions.workflowDef(name, version);
  if (def === undefined) throw notFound(`No such workflow defined. name=${name}, version=${version ?? "null"}`);
  return def;
}

function latestDef(core: Core, name: string): WorkflowDef {
  const def = core.definitions.workflowDef(name);
  if (def === undefined) throw notFound(`Unable to find latest definition for ${name}`);
  return withTaskDefinitions(core, def);
}

function unknownWorkflow(id: string): Error {
  return notFound(`No such workflow found by id: ${id}`);
}
