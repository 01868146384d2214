import { createServer } from "node:net";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { queueSize, startWorkflow } from "../support/conductor.ts";
import { startHost } from "../support/host.ts";
import { createRepository, type Repository } from "../support/lakefs-repository.ts";
import { outputRef } from "../support/outcome.ts";
import { startProxy } from "../support/proxy.ts";
import { realServers } from "../support/settings.ts";
import { createTestRun, registerTasks, type TestRun } from "../support/test-run.ts";
import { misbehave, MODULES, runToEnd, setStage, TREE } from "./refusal.ts";

const error = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    hint: z.string(),
    findings: z.array(z.looseObject({ code: z.string(), message: z.string(), hint: z.string() })),
  }),
});

/** A start that is refused is refused soon: nobody waits for a server that is down. */
const REFUSAL_LIMIT_MS = 15_000;

let run: TestRun;
let repository: Repository;
let base: string;
/** A task that waits: a host that polled in spite of its refusal would take it. */
let waiting: string;

beforeAll(async () => {
  run = await createTestRun([]);
  await registerTasks(run, MODULES);
  await run.workflow("mischief", [{ task: "mischief" }]);
  repository = await createRepository("start");
  base = await repository.commitTree(TREE);
  const stage = await setStage(run, repository, base);
  waiting = await startWorkflow(run.name("mischief"), {
    workspace: stage.workspace,
    params: misbehave(stage, "change"),
  });
});

/** Starts a host that must refuse; returns what `--json` says of it, and everything that was printed. */
async function refusedStart(env: Readonly<Record<string, string>>) {
  const home = await run.folder("refused");
  const workspaces = join(home, "workspaces");
  const startMs = performance.now();
  const ended = await run.perago(["start", ...MODULES, "--json"], {
    PERAGO_WORKSPACE_ROOT: workspaces,
    PERAGO_LOG_ROOT: join(home, "logs"),
    PERAGO_CACHE_ROOT: join(home, "cache"),
    ...env,
  });
  expect(performance.now() - startMs).toBeLessThan(REFUSAL_LIMIT_MS);
  expect(ended.stdout).toBe("");
  const last = ended.stderr.trim().split("\n").at(-1) ?? "";
  const folders = await readdir(workspaces).catch(() => []);
  expect(folders.filter((name) => !name.startsWith("."))).toEqual([]);
  return { exitCode: ended.exitCode, printed: ended.stdout + ended.stderr, ...error.parse(JSON.parse(last)).error };
}

/** A port of this machine on which nobody listens. */
async function deadPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

describe("perago start refuses before it polls, names the thing and the mend", () => {
  test("a TaskDef that is not registered: 1, with the command that registers it", async () => {
    const { exitCode, code, hint, findings } = await refusedStart({ E2E_RUN: `${run.id}-other` });
    expect(exitCode).toBe(1);
    expect(code).toBe("task_def_not_registered");
    expect(findings.map(({ message }) => message).join("\n")).toContain(`e2e.mischief.${run.id}-other`);
    expect(hint).toMatch(/perago register .*mischief\.ts/);
  });

  test("rule I7: a pattern of targets that is none: 2, and it is named", async () => {
    const { exitCode, code, findings } = await refusedStart({ PERAGO_ALLOWED_TARGETS: "songs/main, lakefs://songs" });
    expect(exitCode).toBe(2);
    expect(code).toBe("settings_invalid");
    expect(findings.map(({ message }) => message)).toEqual(["not a pattern of repository/branch: lakefs://songs"]);
  });

  test("a wrong lakeFS secret: 3, and neither the right one nor the wrong one is printed", async () => {
    const wrong = "a-secret-that-nobody-has";
    const { exitCode, code, message, hint, printed } = await refusedStart({
      LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: wrong,
    });
    expect(exitCode).toBe(3);
    expect(code).toBe("unauthorized");
    expect(message).toContain("401");
    expect(hint).toMatch(/access key id and secret/);
    for (const secret of [wrong, realServers().secretAccessKey]) expect(printed.includes(secret)).toBe(false);
  });

  test("case A01: a key pair that Conductor does not take: 3, and the secret is not printed", async () => {
    // The open-source engine knows no keys; what stands before one that does answers so.
    const proxy = await startProxy(realServers().conductorUrl);
    const body = '{"message":"Invalid key or secret"}';
    proxy.meddle(({ path }) => (path.endsWith("/token") ? { kind: "answer", status: 401, body } : undefined));
    const { exitCode, code, hint, printed } = await refusedStart({
      CONDUCTOR_SERVER_URL: proxy.url,
      CONDUCTOR_AUTH_KEY: "a-key",
      CONDUCTOR_AUTH_SECRET: "a-secret-that-nobody-has",
    });
    expect(exitCode).toBe(3);
    expect(code).toBe("conductor_unauthorized");
    expect(hint).toMatch(/CONDUCTOR_AUTH_KEY/);
    expect(printed).not.toContain("a-secret-that-nobody-has");
  });

  test("a Conductor that is down: 3, with its address", async () => {
    const port = await deadPort();
    const { exitCode, code, message, hint } = await refusedStart({
      CONDUCTOR_SERVER_URL: `http://127.0.0.1:${port}/api`,
    });
    expect(exitCode).toBe(3);
    expect(code).toBe("conductor_unreachable");
    expect(message).toContain(`127.0.0.1:${port}`);
    expect(hint).toMatch(/CONDUCTOR_SERVER_URL/);
  });

  test("a lakeFS that is down: 3, with its address", async () => {
    const port = await deadPort();
    const { exitCode, code, message, hint } = await refusedStart({
      LAKECTL_SERVER_ENDPOINT_URL: `http://localhost:${port}`,
    });
    expect(exitCode).toBe(3);
    expect(code).toBe("unreachable");
    expect(message).toContain(`localhost:${port}`);
    expect(hint).toMatch(/check the address/);
  });

  test("an address that is lakeFS', not Conductor's: 3, and that is said", async () => {
    const { exitCode, code, hint } = await refusedStart({ CONDUCTOR_SERVER_URL: `${realServers().lakefsUrl}/api` });
    expect(exitCode).toBe(3);
    expect(code).toMatch(/^conductor_(refused|unreadable)$/);
    expect(hint).not.toBe("");
  });

  test("no task was taken by any of them", async () => {
    expect(await queueSize(run.name("mischief"))).toBe(1);
  });
});

test("`localhost` that is only IPv4 works for both servers: the task that waited is published", async () => {
  const { conductorUrl, lakefsUrl } = realServers();
  const toName = (url: string): string => url.replace("//127.0.0.1", "//localhost");
  expect([conductorUrl, lakefsUrl].map(toName)).not.toEqual([conductorUrl, lakefsUrl]);
  const host = await startHost(run, {
    modules: MODULES,
    conductorUrl: toName(conductorUrl),
    lakefsUrl: toName(lakefsUrl),
  });
  const stage = await setStage(run, repository, base);
  const task = await runToEnd(run.name("mischief"), { workspace: stage.workspace, params: misbehave(stage, "change") });
  expect(outputRef(task)).toBe(await repository.head(stage.branch));
  expect(waiting).not.toBe("");
  expect((await host.stop()).exitCode).toBe(0);
});
