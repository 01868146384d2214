import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Api } from "../contract/conductor/api.ts";
import { Given, states, step, unique, until } from "../contract/conductor/given.ts";
import { startEmulator, type Emulator } from "../src/emulator.ts";

let folder = "";
const running: Emulator[] = [];

beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "perago-conductor-restart-"))));
afterEach(async () => {
  for (const emulator of running.splice(0)) await emulator.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<{ readonly emulator: Emulator; readonly given: Given }> {
  const emulator = await startEmulator({ folder });
  running.push(emulator);
  return { emulator, given: new Given(new Api(emulator.conductor.url)) };
}

test("everything is there after a restart, and goes on where it was", async () => {
  const first = await open();
  const { id, type, task } = await first.given.running({ responseTimeoutSeconds: 60 });
  const other = await first.given.workflow([step(type, "b")]);
  await first.given.ok(first.given.api.send("POST", `/tasks/${task.at("taskId").text()}/log`, "a line"));
  const before = await first.given.read(id);
  await first.emulator.close();
  const second = await open();
  expect((await second.given.read(id)).raw).toEqual(before.raw);
  expect((await second.given.api.get(`/tasks/${task.at("taskId").text()}/log`)).body.list()).toHaveLength(1);
  const [next] = await second.given.pollNow(type);
  expect(next?.at("workflowInstanceId").raw).toBe(other);
  await second.given.report(task, "COMPLETED");
  expect((await second.given.read(id)).at("status").raw).toBe("COMPLETED");
});

test("a timeout that passed while nobody was there is noticed at the start", async () => {
  const first = await open();
  const { id } = await first.given.running({ responseTimeoutSeconds: 1 });
  await first.emulator.close();
  const second = await open();
  second.emulator.clock.advance(2_000);
  expect(states(await second.given.read(id))).toEqual(["a TIMED_OUT", "a SCHEDULED"]);
});

test("what a waiting poll had taken is free again after a close", async () => {
  const first = await open();
  const type = await first.given.task();
  await first.given.workflow([step(type, "a")]);
  const waiting = first.given.api
    .get(`/tasks/poll/batch/${type}?count=2&timeout=4000`)
    .catch((error: unknown) => error);
  await until("the waiting poll has taken the task", async () => {
    const size = (await first.given.api.get(`/tasks/queue/size?taskType=${type}`)).body.raw;
    return size === 0 ? true : undefined;
  });
  await first.emulator.close();
  expect(await waiting).toBeInstanceOf(TypeError);
  const second = await open();
  expect(await second.given.pollNow(type)).toHaveLength(1);
  expect(await second.given.pollNow(unique("none"))).toEqual([]);
});
