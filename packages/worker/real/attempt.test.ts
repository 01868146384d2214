import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LakefsClient, SyncWorker } from "@perago/lakefs-sync";
import { CONFIRM_KEYS } from "@perago/fence";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAttemptRunner } from "../src/attempt/runner.ts";
import { createAttemptSource } from "../src/conductor/attempt-source.ts";
import { openConductor, type ConductorClient } from "../src/conductor/client.ts";
import { createLease } from "../src/conductor/lease.ts";
import { createLeaseServer } from "../src/conductor/lease-server.ts";
import { leaseTimes } from "../src/conductor/lease-times.ts";
import { pollTasks } from "../src/conductor/poll.ts";
import { registerTaskDefs } from "../src/conductor/task-defs.ts";
import { systemClock } from "../src/system-clock.ts";
import { createExecutorPool } from "../src/executor/pool.ts";
import { createTargetStore } from "../src/lakefs/target-store.ts";
import type { Lease, PolledTask } from "../src/attempt/ports/attempt-source.ts";
import type { TaskDescription } from "../src/tasks/description.ts";
import { describeModules } from "../src/tasks/describe-modules.ts";
import { createCounters } from "../src/telemetry/counters.ts";
import { createLogger } from "../src/telemetry/log.ts";

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: run this with the real servers (pnpm test:real)`);
  return value;
}

const connection = {
  endpoint: setting("LAKECTL_SERVER_ENDPOINT_URL"),
  accessKeyId: setting("LAKECTL_CREDENTIALS_ACCESS_KEY_ID"),
  secretAccessKey: setting("LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY"),
};
const serverUrl = setting("CONDUCTOR_SERVER_URL");
const repository = `attempt-${randomUUID().slice(0, 8)}`;
const workflow = `perago.real.attempt.${randomUUID().slice(0, 8)}`;
const lakefs = new LakefsClient(connection);
const sync = new SyncWorker({ connection });
const lines: string[] = [];
const log = createLogger({
  sinks: [{ write: (line) => lines.push(line) > 0 }],
  level: "debug",
  secrets: [connection.secretAccessKey],
});
const executors = createExecutorPool({ clock: systemClock, environment: process.env, hostMark: workflow, log });
let http: ConductorClient;
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "perago-real-"));
  http = await openConductor({ serverUrl }, () => performance.now());
  await lakefs.createRepository({ name: repository, storageNamespace: `local://${repository}`, defaultBranch: "main" });
  const open = (): Buffer => Buffer.from("hello");
  for (const path of ["data/in.txt", "other/kept.txt"]) {
    await lakefs.uploadObject({
      repository,
      branch: "main",
      path,
      source: { sizeBytes: 5, open },
      attributes: { contentType: "text/plain", metadata: {} },
    });
  }
  await lakefs.commit(repository, "main", { message: "data" });
});

afterAll(async () => {
  await executors.close();
  await sync.close();
  await lakefs.close();
  await http.close();
  await rm(root, { recursive: true, force: true });
});

async function describeTask(): Promise<TaskDescription> {
  const modules = [join(import.meta.dirname, "tasks/append.ts")];
  const described = await describeModules(modules, { clock: systemClock, environment: process.env });
  expect(described.findings).toEqual([]);
  const [task] = described.tasks;
  if (task === undefined) throw new Error("the task module was not described");
  return task;
}

async function startWorkflow(task: TaskDescription, ref: string): Promise<string> {
  await registerTaskDefs(http, [{ ...task.taskDef }]);
  const inputParameters = { workspace: "${workflow.input.workspace}", params: { text: "published" } };
  const tasks = [{ name: task.name, taskReferenceName: "append", type: "SIMPLE", inputParameters }];
  const head = { name: workflow, version: 1, schemaVersion: 2, ownerEmail: "data@example.com", timeoutSeconds: 0 };
  await post("/metadata/workflow", { ...head, tasks });
  return post(`/workflow/${workflow}`, { workspace: { repository, branch: "main", refType: "commit", ref } });
}

async function post(path: string, body: unknown): Promise<string> {
  return (await http.send({ method: "POST", path, bodyJson: JSON.stringify(body), timeoutMs: 10_000 })).text;
}

async function pollOne(taskName: string): Promise<PolledTask> {
  const answer = await pollTasks(http, systemClock, { taskName, workerId: "real-host", count: 1, timeoutMs: 5000 });
  const polled = answer.tasks[0]?.polled;
  if (polled === undefined) throw new Error("no task came");
  return polled;
}

async function leaseFor(polled: PolledTask): Promise<Lease> {
  const lease = createLease({
    held: polled,
    pollSentAtMs: polled.pollSentAtMs,
    times: leaseTimes({ responseTimeoutSeconds: polled.responseTimeoutSeconds }),
    server: createLeaseServer(http),
    clock: systemClock,
    events: { onLost: () => undefined, onTrouble: () => undefined },
  });
  await lease.start();
  return lease;
}

function runner(): ReturnType<typeof createAttemptRunner> {
  return createAttemptRunner({
    executors,
    source: createAttemptSource(http),
    store: createTargetStore(lakefs),
    sync,
    held: new Set(),
    site: ({ workerId, executionId }) => ({
      folder: join(root, workerId, executionId, "files"),
      prepare: async () => void (await mkdir(join(root, workerId, executionId), { recursive: true })),
      remove: () => rm(join(root, workerId, executionId), { recursive: true, force: true }),
    }),
    clock: systemClock,
    ids: { executionId: () => randomUUID().replaceAll("-", "").slice(0, 12) },
    log: () => log,
    counters: createCounters(),
    version: "0.0.0",
    outputLimitBytes: 3_000_000,
    reasonMaxLength: 500,
    hardFence: "auto",
    cancelGraceMs: 5000,
  });
}

test("rule C1, P1, A2: one attempt on the real servers publishes a confirm commit and completes its workflow", async () => {
  const input = (await lakefs.getBranch(repository, "main")).commit_id;
  const task = await describeTask();
  const workflowId = await startWorkflow(task, input);
  const polled = await pollOne(task.name);
  const lease = await leaseFor(polled);
  const done = await runner()({ task, polled, workerId: "real-host0001", lease, subscribe: () => () => undefined });
  expect(done, lines.join("\n")).toMatchObject({ outcome: { kind: "completed", by: "commit" }, reported: "accepted" });

  const head = await lakefs.getCommit(repository, (await lakefs.getBranch(repository, "main")).commit_id);
  expect(head.parents).toEqual([input]);
  expect(Object.keys(head.metadata)).toEqual(expect.arrayContaining([...CONFIRM_KEYS]));
  expect(head.metadata).toMatchObject({
    "perago.phase": "confirm",
    "perago.expected_head": input,
    "perago.supersedes": "",
  });
  expect((await lakefs.statObject(repository, head.id, "data/out.txt")).size_bytes).toBe(9);
  expect(await lakefs.listBranches(repository, { prefix: "perago-stg", showHidden: true })).toEqual([]);
  expect(existsSync(join(root, "real-host0001", "files"))).toBe(false);
  const status = await http.send({ method: "GET", path: `/workflow/${workflowId}`, timeoutMs: 10_000 });
  expect(JSON.parse(status.text)).toMatchObject({ status: "COMPLETED" });
});
