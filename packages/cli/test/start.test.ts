import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { deadAddress, fakeConductor, refusingServer, type FakeConductor } from "./support/fake-conductor.ts";
import { fixture, launch, perago, temporaryFolder, type Ended, type Running } from "./support/perago.ts";

const FREE = fixture("free.ts");
const READY_BOUND_MS = 12_000;

const printed = new Map<string, Promise<Ended>>();

/** An engine that has the TaskDefs of the module. */
async function registered(module: string): Promise<FakeConductor> {
  const run = printed.get(module) ?? perago(["extract", module]);
  printed.set(module, run);
  return await fakeConductor(JSON.parse((await run).stdout) as Record<string, unknown>[]);
}

async function roots(): Promise<Record<string, string>> {
  const folder = await temporaryFolder();
  return {
    PERAGO_WORKSPACE_ROOT: path.join(folder, "workspaces"),
    PERAGO_LOG_ROOT: path.join(folder, "logs"),
    PERAGO_CACHE_ROOT: path.join(folder, "cache"),
  };
}

async function begin(engine: Pick<FakeConductor, "url">, args: string[], more: Record<string, string> = {}) {
  const environment = { CONDUCTOR_SERVER_URL: engine.url, ...(await roots()), ...more };
  const run = launch(["start", ...args, "--json"], { environment });
  onTestFinished(() => run.kill("SIGKILL"));
  return run;
}

async function refused(args: string[], environment: Record<string, string>): Promise<Ended> {
  return await perago(["start", ...args], { environment: { ...(await roots()), ...environment } });
}

async function until(condition: () => boolean, run: Running): Promise<void> {
  const endMs = performance.now() + READY_BOUND_MS;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`it did not come to pass: ${run.output.stderr}`);
    await sleep(20);
  }
}

async function ready(run: Running): Promise<Record<string, unknown>> {
  await until(() => run.output.stdout.includes("\n"), run);
  return JSON.parse(run.output.stdout) as Record<string, unknown>;
}

describe("perago start refuses before it polls", () => {
  test("all wrong settings are told at once, flags by their flag and beside the errors of modules: 2", async () => {
    const run = await refused([fixture("build.ts"), fixture("throws.ts"), "-j", "0", "--worker-id-prefix", "a b"], {
      PERAGO_LOG_RETENTION: "soon",
      CONDUCTOR_TLS_INSECURE: "true",
    });
    expect(run.exitCode).toBe(2);
    const named = [
      "CONDUCTOR_SERVER_URL",
      "LAKECTL_SERVER_ENDPOINT_URL",
      "LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY",
      "PERAGO_LOG_RETENTION",
      "CONDUCTOR_TLS_INSECURE",
      "--worker-id-prefix",
      "-j",
      "module_throws",
    ];
    for (const name of named) expect(run.stderr).toContain(name);
    expect(run.stdout).toBe("");
  });

  test("--slots for a task that no module has is 2; workspace-free tasks need no lakeFS", async () => {
    const engine = await registered(FREE);
    const run = await refused([FREE, "--slots", "plain.frist=2"], { CONDUCTOR_SERVER_URL: engine.url });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain("no task is named plain.frist");
    expect(run.stderr).not.toContain("LAKECTL");
    expect(engine.requests).toEqual([]);
  });

  test("modules with errors, and a name that is used twice, are 1 with all findings", async () => {
    const modules = [FREE, fixture("twin.ts"), fixture("enum.ts")];
    const run = await refused(modules, { CONDUCTOR_SERVER_URL: await deadAddress() });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("task_name_twice");
    expect(run.stderr).toContain("module_syntax");
  });

  test("an unregistered TaskDef is 1, and names perago register", async () => {
    const run = await refused([FREE], { CONDUCTOR_SERVER_URL: (await fakeConductor()).url });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("plain.first");
    expect(run.stderr).toContain("plain.second");
    expect(run.stderr).toContain(`perago register ${FREE}`);
  });

  test("a server that is down is 3, and so are wrong credentials; no secret is shown", async () => {
    const url = await deadAddress();
    const down = await refused([FREE], { CONDUCTOR_SERVER_URL: url });
    expect(down.exitCode).toBe(3);
    expect(down.stderr).toContain(`Conductor at ${url} cannot be reached`);
    const engine = await registered(FREE);
    engine.pair = { keyId: "key", keySecret: "right-secret" };
    const pair = { CONDUCTOR_AUTH_KEY: "key", CONDUCTOR_AUTH_SECRET: "wrong-secret" };
    const wrong = await refused([FREE], { CONDUCTOR_SERVER_URL: engine.url, ...pair });
    expect(wrong.exitCode).toBe(3);
    expect(wrong.stderr).not.toContain("wrong-secret");
  });

  test("a lakeFS that refuses the credentials is 3, is named, and the secret is not", async () => {
    const engine = await registered(fixture("build.ts"));
    const lakefs = await refusingServer();
    const run = await refused([fixture("build.ts")], {
      CONDUCTOR_SERVER_URL: engine.url,
      LAKECTL_SERVER_ENDPOINT_URL: lakefs,
      LAKECTL_CREDENTIALS_ACCESS_KEY_ID: "id",
      LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: "lakefs-secret",
    });
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toContain("lakeFS");
    expect(run.stderr).not.toContain("lakefs-secret");
  });
});

describe("perago start runs", () => {
  test.for([{ signal: "SIGTERM" as const }, { signal: "SIGINT" as const }])(
    "says once that it polls, and ends with 0 at $signal",
    async ({ signal }) => {
      const engine = await registered(FREE);
      const run = await begin(engine, [FREE, "-j", "2", "--slots", "plain.second=1", "--worker-id-prefix", "w-"]);
      expect(await ready(run)).toEqual({
        event: "ready",
        workerId: "w-",
        pid: run.pid,
        tasks: [
          { name: "plain.first", slots: 2 },
          { name: "plain.second", slots: 1 },
        ],
      });
      run.kill(signal);
      const { exitCode, stdout } = await run.ended;
      expect({ exitCode, lines: stdout.split("\n").length }).toEqual({ exitCode: 0, lines: 2 });
      expect(engine.requests.filter((each) => each.startsWith("POST /api/metadata"))).toEqual([]);
    },
  );

  test("a second signal forces: 143 for SIGTERM", async () => {
    const engine = await registered(FREE);
    engine.pollHoldMs = 3_000;
    const run = await begin(engine, [FREE]);
    await ready(run);
    await until(() => engine.requests.some((each) => each.includes("/tasks/poll/")), run);
    run.kill("SIGTERM");
    await until(() => run.output.stderr.includes("a second signal ends it at once"), run);
    run.kill("SIGTERM");
    expect((await run.ended).exitCode).toBe(143);
  });

  test("case C05: a TaskDef that differs is a warning that says which side wins, and is not written", async () => {
    const engine = await registered(FREE);
    engine.definitions.set("plain.first", { ...engine.definitions.get("plain.first"), responseTimeoutSeconds: 77 });
    const run = await begin(engine, [FREE]);
    await ready(run);
    run.kill("SIGTERM");
    expect((await run.ended).exitCode).toBe(0);
    expect(run.output.stderr).toMatch(/Conductor's timeouts win: responseTimeoutSeconds 77 \(code: 30\)/);
    expect(engine.definitions.get("plain.first")?.["responseTimeoutSeconds"]).toBe(77);
  });

  test.skipIf(process.platform !== "linux")(
    "keeps its secrets out of the environment that a body can look at",
    async () => {
      const engine = await registered(FREE);
      engine.pair = { keyId: "key", keySecret: "right-secret" };
      const pair = { CONDUCTOR_AUTH_KEY: "key", CONDUCTOR_AUTH_SECRET: "right-secret", UNRELATED: "stays" };
      const run = await begin(engine, [FREE], pair);
      await ready(run);
      const environment = await readFile(`/proc/${run.pid}/environ`, "utf8");
      expect(environment).not.toContain("right-secret");
      expect(environment).toContain("UNRELATED=stays");
      const handover = /PERAGO_HANDOVER=([^\0]+)/.exec(environment)?.[1] ?? "";
      await expect(readdir(path.dirname(handover))).rejects.toThrow("ENOENT");
      run.kill("SIGTERM");
      expect((await run.ended).exitCode).toBe(0);
    },
  );
});
