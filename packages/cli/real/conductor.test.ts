import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { launch, perago, temporaryFolder, type Ended } from "../test/support/perago.ts";

// Needs CONDUCTOR_SERVER_URL of a real Conductor, as `pnpm --silent stack env` prints it; fails without.
let url: string;
beforeAll(() => {
  url = z.url().parse(process.env["CONDUCTOR_SERVER_URL"]);
});

const definition = z.looseObject({ name: z.string(), retryCount: z.number() });
const FIXTURES = fileURLToPath(new URL("../test/fixtures/", import.meta.url));

function lakefsVariables(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) => name.startsWith("LAKECTL_"));
  return Object.fromEntries(names.map((name) => [name, z.string().parse(process.env[name])]));
}

interface Module {
  readonly name: string;
  readonly file: string;
  run(command: string, ...args: string[]): Promise<Ended>;
}

/** A module with a task of a name that nobody else has; its definition is removed after the test. */
async function freshModule(): Promise<Module> {
  const name = `cli.real.${randomBytes(6).toString("hex")}`;
  const file = path.join(FIXTURES, `${name}.ts`);
  await writeFile(file, source(name));
  onTestFinished(async () => {
    await rm(file, { force: true });
    await fetch(`${url}/metadata/taskdefs/${name}`, { method: "DELETE" });
  });
  const environment = { CONDUCTOR_SERVER_URL: url, ...lakefsVariables() };
  return { name, file, run: async (command, ...args) => await perago([command, file, ...args], { environment }) };
}

function source(name: string): string {
  return `import { defineTask } from "@perago/taskdef";
import { z } from "zod";
export default defineTask({
  name: ${JSON.stringify(name)},
  description: "Made by a test.",
  ownerEmail: "data@example.com",
  workspace: { prefix: "/data" },
  params: z.object({ rows: z.int().min(1) }),
  output: z.object({ count: z.int() }),
  controls: {
    timeout: { seconds: 900, responseSeconds: 90 },
    limits: { rateLimit: { perFrequency: 5, frequencySeconds: 1 } },
  },
  run: () => ({ count: 1 }),
});
`;
}

async function read(name: string): Promise<z.infer<typeof definition>> {
  const response = await fetch(`${url}/metadata/taskdefs/${name}`);
  return definition.parse(await response.json());
}

async function write(definitions: readonly object[]): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(definitions);
  const response = await fetch(`${url}/metadata/taskdefs`, { method: "POST", headers, body });
  expect(response.status).toBe(200);
}

test("a host on both real servers says that it polls, and ends with 0 within 2 s after SIGTERM; a second one on its root is refused", async () => {
  const { file, run } = await freshModule();
  const folder = await temporaryFolder();
  await run("register");
  const host = launch(["start", file, "--workspace-root", "workspaces", "--log-root", "logs", "--json"], {
    folder,
    environment: { CONDUCTOR_SERVER_URL: url, ...lakefsVariables() },
  });
  onTestFinished(() => host.kill("SIGKILL"));
  const endMs = performance.now() + 30_000;
  while (!host.output.stdout.includes('{"event":"ready"')) {
    if (performance.now() > endMs) throw new Error(`not ready: ${host.output.stderr}`);
    await sleep(20);
  }
  const second = await run("start", "--workspace-root", path.join(folder, "workspaces"));
  expect(second.exitCode).toBe(2);
  expect(second.stderr).toContain(`process ${host.pid}`);
  const sentMs = performance.now();
  host.kill("SIGTERM");
  const { exitCode } = await host.ended;
  expect(exitCode).toBe(0);
  expect(performance.now() - sentMs).toBeLessThan(2_000);
});

describe("on the real Conductor", () => {
  test("case C01, case C03, case C13: register, extract --check server and register again agree; nothing is written twice", async () => {
    const { name, run } = await freshModule();
    const before = await run("extract", "--check", "server");
    expect(before.exitCode).toBe(1);
    expect(before.stdout).toContain("not registered");

    expect((await run("register", "--dry-run")).stdout).toContain("would register");
    expect((await run("extract", "--check", "server")).exitCode).toBe(1);

    const first = await run("register");
    expect(first.stderr).not.toContain("error");
    expect(first.exitCode).toBe(0);
    const registered = await read(name);
    expect(registered).toMatchObject({ responseTimeoutSeconds: 90, timeoutSeconds: 900, rateLimitPerFrequency: 5 });
    expect(registered["ownerEmail"]).toBe("data@example.com");

    expect((await run("extract", "--check", "server")).stdout).toContain("same");
    expect((await run("register")).stdout).toContain("same");
    expect(await read(name)).toEqual(registered);
  });

  test("case C05: what operators tuned beside the owned fields stays, an owned field is shown and written", async () => {
    const { name, run } = await freshModule();
    await run("register");
    await write([{ ...(await read(name)), retryCount: 7, concurrentExecLimit: 4, inputTemplate: { region: "eu" } }]);
    const check = await run("extract", "--check", "server");
    expect(check.exitCode).toBe(1);
    expect(check.stdout).toContain("retryCount: 7 -> 3");
    expect(check.stdout).not.toContain("concurrentExecLimit");
    const second = await run("register");
    expect(second.stdout).toContain("retryCount: 7 -> 3");
    expect(second.exitCode).toBe(0);
    const kept = { retryCount: 3, concurrentExecLimit: 4, inputTemplate: { region: "eu" } };
    expect(await read(name)).toMatchObject(kept);
    expect((await run("extract", "--check", "server")).exitCode).toBe(0);
  });
});
