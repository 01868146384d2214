import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { UpCommand } from "./args.ts";
import { isHealthy } from "./health.ts";
import type { InstanceSettings } from "./instance.ts";
import { instanceLayout } from "./layout.ts";
import { writePidFile } from "./pid-file.ts";
import { identify, isAlive } from "./process-identity.ts";
import { healthCheck } from "./server-plan.ts";
import type { ServerPlan } from "./server-plan.ts";
import { down, runningServers, up } from "./up.ts";
import type { UpContext } from "./up.ts";

const SCRIPT = join(import.meta.dirname, "fake-server.fixture.ts");
const command: UpCommand = {
  verb: "up",
  name: "x",
  lakefsPort: undefined,
  conductorPort: undefined,
  freePorts: true,
  fresh: false,
};

// The machine may be busy: bounded, but not by the default second.
const POLL = { timeout: 15_000 };

let home = "";
let lines: string[] = [];
const contexts: UpContext[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "perago-stack-"));
  lines = [];
});
afterEach(async () => {
  for (const context of contexts.splice(0)) await down({ ...context, signal: new AbortController().signal });
  await rm(home, { recursive: true, force: true });
});

interface Fakes {
  readonly conductorMode?: "ok" | "die" | "deaf";
  readonly startTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

function contextWith({ conductorMode = "ok", startTimeoutMs = 15_000, signal }: Fakes = {}): UpContext {
  const layout = instanceLayout(home, "x");
  const plan = async (settings: InstanceSettings): Promise<readonly ServerPlan[]> =>
    (["lakefs", "conductor"] as const).map((server) => {
      const port = server === "lakefs" ? settings.lakefsPort : settings.conductorPort;
      const mode = server === "lakefs" ? "ok" : conductorMode;
      return {
        server,
        title: server,
        port,
        file: process.execPath,
        args: [SCRIPT, String(port), mode, `secret ${settings.secretAccessKey}`],
        cwd: layout.dataRoot(server),
        environment: {},
        files: [{ path: join(layout.dataRoot(server), "config"), text: settings.secretAccessKey }],
        health: healthCheck(server, port),
        startTimeoutMs,
      };
    });
  const say = (line: string) => void lines.push(line);
  const context = { layout, plan, say, stopTimeoutMs: 700, signal: signal ?? new AbortController().signal };
  contexts.push(context);
  return context;
}

it("brings both up, a second time changes nothing, and down leaves nobody", async () => {
  const context = contextWith();
  const first = await up(context, command);
  const running = await runningServers(context.layout);
  expect(await isHealthy(healthCheck("lakefs", first.lakefsPort))).toBe(true);
  expect(await up(context, command)).toEqual(first);
  expect(lines.at(-1)).toBe('instance "x" is already running');
  expect(await runningServers(context.layout)).toEqual(running);
  await down(context);
  expect(await runningServers(context.layout)).toEqual({
    lakefs: { state: "stopped" },
    conductor: { state: "stopped" },
  });
  for (const { record } of Object.values(running)) expect(record === undefined || (await isAlive(record))).toBe(false);
});

it("refuses a port in use, names it and who has it, starts nothing, and the next up works", async () => {
  const foreign = createServer();
  await new Promise<void>((resolve) => foreign.listen({ host: "127.0.0.1", port: 0 }, resolve));
  const address = foreign.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const context = contextWith();
  const asked = { ...command, conductorPort: port };
  const refused = { code: "PORT_IN_USE", exitCode: 2, message: expect.stringContaining(`port ${port} for conductor`) };
  await expect(up(context, asked)).rejects.toMatchObject(refused);
  if (process.platform === "linux") await expect(up(context, asked)).rejects.toThrow(`pid ${process.pid}`);
  expect((await runningServers(context.layout)).lakefs.state).toBe("stopped");
  await new Promise((resolve) => foreign.close(resolve));
  expect((await up(context, asked)).conductorPort).toBe(port);
});

it("restarts a killed server on its data and port, and leaves the other alone", async () => {
  const context = contextWith();
  const before = await up(context, command);
  const { lakefs, conductor } = await runningServers(context.layout);
  await writeFile(join(context.layout.dataRoot("lakefs"), "object"), "kept");
  process.kill(lakefs.record?.pid ?? 0, "SIGKILL");
  await expect.poll(async () => (await runningServers(context.layout)).lakefs.state, POLL).toBe("ended");
  expect(await up(context, command)).toEqual(before);
  expect(lines).toContain(`lakefs had ended: starting it on its data, port ${before.lakefsPort}`);
  const after = await runningServers(context.layout);
  expect(after.conductor).toEqual(conductor);
  expect(after.lakefs.record?.pid).not.toBe(lakefs.record?.pid);
  expect(await readFile(join(context.layout.dataRoot("lakefs"), "object"), "utf8")).toBe("kept");
});

it("shows the end of a dead server's log without secrets, stops the other, and the next up works", async () => {
  const context = contextWith({ conductorMode: "die" });
  const error = await up(context, command).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "SERVER_DIED",
    exitCode: 3,
    message: expect.stringContaining("secret [secret]"),
  });
  expect((await runningServers(context.layout)).lakefs.state).toBe("stopped");
  await up(contextWith(), command);
});

it("gives up on a server that is never healthy, and ends it although it ignores SIGTERM", async () => {
  const context = contextWith({ conductorMode: "deaf", startTimeoutMs: 1_500 });
  await expect(up(context, command)).rejects.toMatchObject({ code: "SERVER_SLOW", exitCode: 3 });
  expect((await runningServers(context.layout)).conductor.state).toBe("stopped");
});

it("stops what it started when a signal comes while it waits", async () => {
  const stop = new AbortController();
  const context = contextWith({ conductorMode: "deaf", signal: stop.signal });
  const rising = up(context, command);
  await expect.poll(async () => (await runningServers(context.layout)).conductor.state, POLL).toBe("running");
  stop.abort(new Error("stopped by SIGTERM"));
  await expect(rising).rejects.toThrow("aborted");
  expect((await runningServers(context.layout)).lakefs.state).toBe("stopped");
});

it("wipes the data but keeps ports and credentials with --fresh", async () => {
  const context = contextWith();
  const before = await up(context, command);
  await writeFile(join(context.layout.dataRoot("lakefs"), "object"), "old");
  expect(await up(context, { ...command, fresh: true })).toEqual(before);
  await expect(stat(join(context.layout.dataRoot("lakefs"), "object"))).rejects.toThrow("ENOENT");
});

it("refuses other ports for an instance that runs, and data whose credentials are lost", async () => {
  const context = contextWith();
  const { lakefsPort } = await up(context, command);
  const moved = up(context, { ...command, lakefsPort: lakefsPort === 9999 ? 9998 : 9999 });
  await expect(moved).rejects.toMatchObject({ code: "ALREADY_RUNNING", exitCode: 2 });
  await down(context);
  await rm(context.layout.settingsFile);
  await expect(up(context, command)).rejects.toMatchObject({ code: "SETTINGS_LOST", exitCode: 2 });
  await up(context, { ...command, fresh: true });
});

it("does not kill a process that has a dead server's pid", async () => {
  const context = contextWith();
  await up(context, command);
  await down(context);
  const stranger = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"], { detached: true });
  await once(stranger, "spawn");
  const identity = await identify(stranger.pid ?? 0);
  await writePidFile(context.layout.pidFile("lakefs"), { pid: stranger.pid ?? 0, started: "before", port: 1 });
  await down(context);
  expect(lines).toContain("lakefs was not running");
  expect(identity !== undefined && (await isAlive(identity))).toBe(true);
  stranger.kill("SIGKILL");
});
