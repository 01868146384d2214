import type { Hono } from "hono";
import { refuseBeyond } from "../definitions/beyond.ts";
import { taskDefFindings } from "../definitions/task-def-rules.ts";
import { workflowDefFindings } from "../definitions/workflow-def-rules.ts";
import type { Core } from "../engine/core.ts";
import { conflict, internal, invalid, notFound } from "../errors.ts";
import type { Json } from "../json.ts";
import { readTaskDef, taskDefView, type TaskDef } from "../model/task-def.ts";
import { readWorkflowDef, workflowDefView, type WorkflowDef } from "../model/workflow-def.ts";
import { emptyAnswer, jsonAnswer, pathPart, queryInt, queryText, readJson } from "./answers.ts";

/** `/api/metadata/taskdefs` */
export function taskDefRoutes(app: Hono, core: Core): void {
  app.post("/api/metadata/taskdefs", async (c) => {
    const defs = asList(await readJson(c), "TaskDef").map(readTaskDef);
    checkTaskDefs(defs, (index) => `registerTaskDef.arg0[${index}]`, "registerTaskDef.arg0");
    const nowMs = core.clock.nowMs();
    core.transaction(() => {
      for (const def of defs) core.definitions.putTaskDef({ ...def, createdBy: "", createTime: nowMs, updateTime: 0 });
    });
    return emptyAnswer();
  });
  app.put("/api/metadata/taskdefs", async (c) => {
    const def = readTaskDef(await readJson(c));
    checkTaskDefs([def], () => "updateTaskDef.arg0", "updateTaskDef.arg0");
    const known = core.definitions.taskDef(def.name);
    if (known === undefined) throw notFound(`No such task by name ${def.name}`);
    core.definitions.putTaskDef({ ...def, updateTime: core.clock.nowMs() });
    return emptyAnswer();
  });
  app.get("/api/metadata/taskdefs", () => jsonAnswer(core.definitions.taskDefs().map(taskDefView)));
  app.get("/api/metadata/taskdefs/:name", (c) => {
    const name = pathPart(c, "name");
    const def = core.definitions.taskDef(name);
    if (def === undefined) throw notFound(`No such taskType found by name: ${name}`);
    return jsonAnswer(taskDefView(def));
  });
  app.delete("/api/metadata/taskdefs/:name", (c) => {
    if (!core.definitions.removeTaskDef(pathPart(c, "name"))) throw internal("No such task definition");
    return emptyAnswer();
  });
}

/** `/api/metadata/workflow` */
export function workflowDefRoutes(app: Hono, core: Core): void {
  app.post("/api/metadata/workflow", async (c) => {
    const def = checkedWorkflowDef(await readJson(c), "registerWorkflowDef");
    if (core.definitions.workflowDef(def.name, def.version) !== undefined) {
      throw conflict(`Workflow with ${def.name}.${def.version} already exists!`);
    }
    core.definitions.putWorkflowDef({ ...def, createTime: core.clock.nowMs(), updateTime: 0 });
    return emptyAnswer();
  });
  app.post("/api/metadata/workflow/validate", async (c) => {
    checkedWorkflowDef(await readJson(c), "validateWorkflowDef");
    return emptyAnswer();
  });
  app.put("/api/metadata/workflow", async (c) => {
    const defs = asList(await readJson(c), "WorkflowDef").map(readWorkflowDef);
    const path = "updateWorkflowDef.arg0";
    if (defs.length === 0) throw invalid([{ path, message: "WorkflowDefList is empty" }]);
    const findings = defs.flatMap((def, index) => workflowDefFindings(def, `${path}[${index}]`));
    if (findings.length > 0) throw invalid(findings);
    for (const def of defs) refuseBeyond(def);
    const nowMs = core.clock.nowMs();
    core.transaction(() => {
      for (const def of defs) core.definitions.putWorkflowDef({ ...def, updateTime: nowMs });
    });
    return jsonAnswer({ bulkErrorResults: {}, bulkSuccessfulResults: defs.map((def) => def.name) });
  });
  app.get("/api/metadata/workflow", () => jsonAnswer(core.definitions.workflowDefs().map(workflowDefView)));
  app.get("/api/metadata/workflow/:name", (c) => {
    const name = pathPart(c, "name");
    const version = queryText(c, "version") === undefined ? undefined : queryInt(c, "version", 1);
    return jsonAnswer(workflowDefView(requireWorkflowDef(core, name, version)));
  });
  app.delete("/api/metadata/workflow/:name/:version{[0-9]+}", (c) => {
    const [name, version] = [pathPart(c, "name"), Number(pathPart(c, "version"))];
    if (!core.definitions.removeWorkflowDef(name, version)) {
      throw internal(`No such workflow definition: ${name} version: ${version}`);
    }
    return emptyAnswer();
  });
}

/** A definition by name and version, or the latest. Throws 404. */
export function requireWorkflowDef(core: Core, name: string, version: number | undefined): WorkflowDef {
  const def = core.definitions.workflowDef(name, version);
  if (def === undefined) throw notFound(`No such workflow found by name: ${name}, version: ${version ?? "null"}`);
  return def;
}

/** A definition that passed all checks. Throws 400, and 501 for what is not here. */
export function checkedWorkflowDef(value: Json, operation: string): WorkflowDef {
  const def = readWorkflowDef(value);
  const findings = workflowDefFindings(def, `${operation}.arg0`);
  if (findings.length > 0) throw invalid(findings);
  refuseBeyond(def);
  return def;
}

function checkTaskDefs(defs: readonly TaskDef[], path: (index: number) => string, all: string): void {
  if (defs.length === 0) throw invalid([{ path: all, message: "TaskDefList is empty" }]);
  const findings = defs.flatMap((def, index) => taskDefFindings(def, path(index)));
  if (findings.length > 0) throw invalid(findings);
}

function asList(value: Json, what: string): Json[] {
  if (!Array.isArray(value)) throw internal(`JSON parse error: a list of ${what} is wanted`);
  return value;
}
