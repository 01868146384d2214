import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createAttemptSource } from "../src/conductor/attempt-source.ts";
import { openConductor, type ConductorClient } from "../src/conductor/client.ts";
import { registerTaskDefs } from "../src/conductor/task-defs.ts";
import { eventually } from "../src/conductor/testing/eventually.ts";
import { systemClock } from "../src/system-clock.ts";
import { parseSettings } from "../src/config/settings.ts";
import { startHost, type Host } from "../src/host/host.ts";
import { preflight, PreflightError } from "../src/host/preflight.ts";
import { taskDescription } from "../src/host/testing/task-description.ts";
import { SILENT_LOG } from "../src/telemetry/log.ts";

const serverUrl = process.env["CONDUCTOR_SERVER_URL"];
if (serverUrl === undefined) throw new Error("CONDUCTOR_SERVER_URL is not set: run this with the real servers");

const name = `perago.host.${randomUUID().slice(0, 8)}`;
const task = taskDescription({ name });
let http: ConductorClient;
let root: string;

beforeAll(async () => {
  http = await openConductor({ serverUrl }, () => performance.now());
  root = await mkdtemp(join(tmpdir(), "perago-real-host-"));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

async function post(path: string, body: unknown): Promise<string> {
  return (await http.send({ method: "POST", path, bodyJson: JSON.stringify(body), timeoutMs: 10_000 })).text;
}

/** A host whose attempts report COMPLETED at once. */
function start(doneAtMs: Map<string, number>): Host {
  const { settings } = parseSettings({
    variables: { PERAGO_WORKSPACE_ROOT: root },
    flags: { jobs: "4" },
    needs: { conductor: false, lakefs: false },
    surroundings: { cwd: root },
  });
  const source = createAttemptSource(http);
  return startHost({
    tasks: [task],
    settings,
    conductor: http,
    async runAttempt({ polled, lease }) {
      await lease.stop();
      const { workflowInstanceId, taskId, workerId } = polled;
      await source.report({ workflowInstanceId, taskId, workerId, status: "COMPLETED", outputJson: "{}" }, 10_000);
      doneAtMs.set(workflowInstanceId, performance.now());
      return { outcome: "completed" };
    },
    isHeld: () => false,
    clock: systemClock,
    log: SILENT_LOG,
    process: { pid: process.pid, startedAtMs: 0 },
  });
}

it("case C05, fault H1: refuses an unregistered task, runs registered ones in a burst and one by one, and ends within 2 s when idle", async () => {
  await expect(preflight(http, [task])).rejects.toThrow(PreflightError);
  await registerTaskDefs(http, [{ ...task.taskDef, responseTimeoutSeconds: 31 }]);
  expect((await preflight(http, [task])).map((finding) => finding.code)).toContain("task_def_timeouts_differ");
  await registerTaskDefs(http, [{ ...task.taskDef }]);
  expect(await preflight(http, [task])).toEqual([]);

  const step = { name, taskReferenceName: "step", type: "SIMPLE", inputParameters: {} };
  await post("/metadata/workflow", {
    name,
    version: 1,
    schemaVersion: 2,
    ownerEmail: "a@example.com",
    timeoutSeconds: 0,
    tasks: [step],
  });
  const doneAtMs = new Map<string, number>();
  const host = start(doneAtMs);
  try {
    const burst = await Promise.all(Array.from({ length: 20 }, () => post(`/workflow/${name}`, {})));
    await eventually("the burst is done", () => burst.every((id) => doneAtMs.has(id)), 20_000);
    const startedAtMs = performance.now();
    const single = await post(`/workflow/${name}`, {});
    await eventually("a single one is done", () => doneAtMs.has(single), 5_000);
    expect(performance.now() - startedAtMs).toBeLessThan(3_000);
  } finally {
    const drainedAtMs = performance.now();
    host.drain();
    expect(await host.ended).toEqual({ leftRunningCount: 0 });
    expect(performance.now() - drainedAtMs).toBeLessThan(2_000);
  }
});
