import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { Api } from "../contract/conductor/api.ts";
import { Given, step, taskDef, unique, workflowDef } from "../contract/conductor/given.ts";
import { startEmulator } from "../src/emulator.ts";

const DEFAULT_KILLS = 10;
const kills = Number(process.env["PERAGO_EMULATOR_KILLS"] ?? DEFAULT_KILLS);
const WRITERS = 3;
const LONGEST_LIFE_MS = 250;
const KILL_LIMIT_MS = 6_000;
const REDELIVERY_MS = 61_000;
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

interface Life {
  /** Workflows whose start was acknowledged. */
  readonly started: string[];
  /** Workflows whose last report was acknowledged, with the output that it said. */
  readonly completed: Map<string, number>;
}

async function spawnConductor(folder: string): Promise<{ readonly child: ChildProcess; readonly given: Given }> {
  const child = spawn(process.execPath, ["--conditions=perago-source", main, "--folder", folder], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {},
  });
  let said = "";
  for await (const chunk of child.stdout ?? []) {
    said += String(chunk);
    const url = /^CONDUCTOR_SERVER_URL=(.+)$/m.exec(said)?.[1];
    if (url !== undefined) return { child, given: new Given(new Api(url)) };
  }
  throw new Error(`the emulator did not start: ${said}`);
}

/** Starts, polls and reports until the connection breaks. */
async function write(given: Given, name: string, type: string, life: Life): Promise<void> {
  try {
    for (let n = 0; ; n += 1) {
      const { status, text } = await given.api.post(`/workflow/${name}`, { n });
      if (status !== 200) throw new Error(`a start was refused: ${text}`);
      life.started.push(text);
      const [task] = await given.pollNow(type, 1);
      if (task === undefined) continue;
      await given.report(task, "COMPLETED", { outputData: { n } });
      life.completed.set(task.at("workflowInstanceId").text(), n);
    }
  } catch (error) {
    // A broken connection is what a kill looks like from here; anything else is a finding.
    if (!(error instanceof TypeError)) throw error;
  }
}

async function lost(given: Given, life: Life): Promise<string[]> {
  const findings: string[] = [];
  for (const id of life.started) {
    const answer = await given.api.get(`/workflow/${id}`);
    if (answer.status !== 200) findings.push(`the started ${id} is gone`);
    const n = life.completed.get(id);
    if (n === undefined) continue;
    const isThere = answer.body.at("status").raw === "COMPLETED" && answer.body.at("output", "n").raw === n;
    if (!isThere) findings.push(`the result of ${id} is gone`);
  }
  return findings;
}

/** Ends all workflows that are left: none is stuck, whatever the kills interrupted. */
async function finishAll(folder: string, name: string, type: string): Promise<unknown> {
  const emulator = await startEmulator({ folder });
  try {
    const given = new Given(new Api(emulator.conductor.url));
    const endAll = async (): Promise<void> => {
      for (let tasks = await given.pollNow(type, 50); tasks.length > 0; tasks = await given.pollNow(type, 50)) {
        for (const task of tasks) await given.report(task, "COMPLETED");
      }
    };
    await endAll();
    // What was popped when it was killed comes again after a minute, what was with a worker after its timeout.
    emulator.clock.advance(REDELIVERY_MS);
    await endAll();
    return (await given.ok(given.api.get(`/workflow/running/${name}`))).body.raw;
  } finally {
    await emulator.close();
  }
}

test(
  `after ${kills} SIGKILLs while it is written to, nothing acknowledged is lost and no workflow is stuck`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "perago-conductor-kill-"));
    const [name, type] = [unique("workflow"), unique("task")];
    const findings: string[] = [];
    let startedCount = 0;
    try {
      let server = await spawnConductor(folder);
      const def = taskDef(type, { responseTimeoutSeconds: 60, retryCount: 3 });
      await server.given.ok(server.given.api.post("/metadata/taskdefs", [def]));
      await server.given.ok(server.given.api.post("/metadata/workflow", workflowDef(name, [step(type, "a")])));
      for (let kill = 0; kill < kills; kill += 1) {
        const life: Life = { started: [], completed: new Map() };
        const writers = Array.from({ length: WRITERS }, () => write(server.given, name, type, life));
        await sleep(Math.random() * LONGEST_LIFE_MS);
        const exited = once(server.child, "exit");
        server.child.kill("SIGKILL");
        await Promise.all([exited, ...writers]);
        server = await spawnConductor(folder);
        findings.push(...(await lost(server.given, life)));
        startedCount += life.started.length;
      }
      const exited = once(server.child, "exit");
      server.child.kill("SIGTERM");
      await exited;
      expect(findings).toEqual([]);
      expect(startedCount).toBeGreaterThan(0);
      expect(await finishAll(folder, name, type)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  kills * KILL_LIMIT_MS,
);
