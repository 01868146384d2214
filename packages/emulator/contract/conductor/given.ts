import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { type Answer, type Api, Value } from "./api.ts";

/** Fields of a definition. */
export type Fields = Record<string, unknown>;

const UNTIL_MS = 15_000;
const UNTIL_STEP_MS = 40;

/** A name that no other run has. */
export function unique(prefix: string): string {
  return `contract.${prefix}.${randomBytes(5).toString("hex")}`;
}

/** A step that a worker does. */
export function step(taskName: string, referenceName: string, more: Fields = {}): Fields {
  return { name: taskName, taskReferenceName: referenceName, type: "SIMPLE", inputParameters: {}, ...more };
}

/** Waits for a condition, with a bound. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const deadlineMs = performance.now() + UNTIL_MS;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() > deadlineMs) throw new Error(`not within ${UNTIL_MS} ms: ${what}`);
    await sleep(UNTIL_STEP_MS);
  }
}

/** Short ways to what nearly every test needs. Polls fail where they bring less than was asked for. */
export class Given {
  readonly api: Api;

  constructor(api: Api) {
    this.api = api;
  }

  /** Registers a task definition under a new name. */
  async task(more: Fields = {}): Promise<string> {
    const name = unique("task");
    await this.ok(this.api.post("/metadata/taskdefs", [taskDef(name, more)]));
    return name;
  }

  /** Registers a workflow definition under a new name. */
  async workflowDef(tasks: readonly Fields[], more: Fields = {}): Promise<string> {
    const name = unique("workflow");
    await this.ok(this.api.post("/metadata/workflow", workflowDef(name, tasks, more)));
    return name;
  }

  /** Registers and starts a workflow; its id. */
  async workflow(tasks: readonly Fields[], input: Fields = {}, more: Fields = {}): Promise<string> {
    const name = await this.workflowDef(tasks, more);
    return (await this.ok(this.api.post(`/workflow/${name}`, input))).text;
  }

  /** One task with its workflow of one step, polled. */
  async running(more: Fields = {}): Promise<{ readonly id: string; readonly type: string; readonly task: Value }> {
    const type = await this.task(more);
    const id = await this.workflow([step(type, "a")]);
    return { id, type, task: await this.poll(type) };
  }

  /**
   * Polls the one task that is there, waiting for it: the real server looks at joins in the background and may take
   * seconds.
   */
  async poll(type: string, query = ""): Promise<Value> {
    return await until(`a task of ${type}`, async () => {
      const path = `/tasks/poll/batch/${type}?workerid=w1&count=1&timeout=3000${query}`;
      const tasks = (await this.ok(this.api.get(path))).body.list();
      return tasks[0];
    });
  }

  /** What a poll that does not wait brings. */
  async pollNow(type: string, count = 10): Promise<Value[]> {
    return (await this.ok(this.api.get(`/tasks/poll/batch/${type}?workerid=w1&count=${count}&timeout=0`))).body.list();
  }

  /** Reports. */
  async report(task: Value, status: string, more: Fields = {}): Promise<Answer> {
    return await this.ok(this.api.post("/tasks", { ...ids(task), workerId: "w1", status, ...more }));
  }

  /** Reads a workflow. */
  async read(id: string): Promise<Value> {
    return (await this.ok(this.api.get(`/workflow/${id}`))).body;
  }

  /** Reads a task. */
  async readTask(task: Value): Promise<Value> {
    return (await this.ok(this.api.get(`/tasks/${task.at("taskId").text()}`))).body;
  }

  /** Has the decider look at a workflow again and again until a condition holds. */
  async decided(id: string, what: string, isSo: (workflow: Value) => boolean): Promise<Value> {
    return await until(what, async () => {
      await this.ok(this.api.put(`/workflow/decide/${id}`));
      const workflow = await this.read(id);
      return isSo(workflow) ? workflow : undefined;
    });
  }

  /** Waits for a workflow's status. */
  async status(id: string, status: string): Promise<Value> {
    return await this.decided(id, `${id} is ${status}`, (workflow) => workflow.at("status").raw === status);
  }

  /** Fails where an answer is not good. */
  async ok(answer: Promise<Answer>): Promise<Answer> {
    const done = await answer;
    expect(done.status, done.text).toBeLessThan(300);
    return done;
  }

  /** Fails where an answer is not this refusal. */
  async refused(answer: Promise<Answer>, status: number, message: string | RegExp): Promise<Answer> {
    const done = await answer;
    expect(done.status, done.text).toBe(status);
    expect(done.body.at("message").text()).toMatch(message);
    return done;
  }
}

/** The ids that a report needs. */
export function ids(task: Value): Fields {
  return { workflowInstanceId: task.at("workflowInstanceId").raw, taskId: task.at("taskId").raw };
}

/** The tasks of a workflow as `reference status`. */
export function states(workflow: Value): string[] {
  return workflow
    .at("tasks")
    .list()
    .map((task) => `${task.at("referenceTaskName").text()} ${task.at("status").text()}`);
}

/** A task definition. */
export function taskDef(name: string, more: Fields = {}): Fields {
  return {
    name,
    ownerEmail: "contract@example.com",
    retryCount: 1,
    retryLogic: "FIXED",
    retryDelaySeconds: 0,
    timeoutSeconds: 0,
    responseTimeoutSeconds: 60,
    timeoutPolicy: "RETRY",
    ...more,
  };
}

/** A workflow definition. */
export function workflowDef(name: string, tasks: readonly Fields[], more: Fields = {}): Fields {
  return {
    name,
    version: 1,
    schemaVersion: 2,
    ownerEmail: "contract@example.com",
    timeoutPolicy: "ALERT_ONLY",
    timeoutSeconds: 0,
    tasks,
    ...more,
  };
}

/** A value as `Value`. */
export function valueOf(raw: unknown): Value {
  return new Value(raw);
}

/** Gives the tests what they talk to; call it inside a test. */
export type GivenNow = () => Given;
