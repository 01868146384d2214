import { existsSync } from "node:fs";
import { appendFile, cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { fixture, launch, perago, temporaryFolder, type Running } from "./support/perago.ts";

const PACKAGES = fileURLToPath(new URL("../node_modules", import.meta.url));
const BOUND_MS = 18_000;
const TIMEOUT_MS = 60_000;

interface Ready {
  readonly pid: number;
  readonly lakefs: { readonly url: string; readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly conductor: { readonly url: string };
  readonly settings: string;
  readonly state: string;
  readonly tasks: readonly { readonly name: string; readonly slots: number }[];
}

/** A project with one task module that imports a file beside it. */
async function project(): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
  await symlink(PACKAGES, path.join(folder, "node_modules"));
  await cp(fixture("readme-example.ts"), path.join(folder, "count.ts"));
  await writeFile(path.join(folder, "more.ts"), "export const more = 1;\n");
  await appendFile(path.join(folder, "count.ts"), 'export { more } from "./more.ts";\n');
  return folder;
}

async function begin(folder: string, ...args: string[]): Promise<{ readonly run: Running; readonly ready: Ready }> {
  // Servers that the environment names must not be used.
  const environment = {
    CONDUCTOR_SERVER_URL: "http://127.0.0.1:1/api",
    LAKECTL_SERVER_ENDPOINT_URL: "http://127.0.0.1:1",
  };
  const run = launch(["dev", ...args, "--json"], { folder, environment });
  onTestFinished(async () => {
    run.kill("SIGKILL");
    await run.ended;
  });
  await until(() => run.output.stdout.includes("\n"), run);
  return { run, ready: JSON.parse(run.output.stdout) as Ready };
}

async function until(condition: () => boolean | Promise<boolean>, run: Running): Promise<void> {
  const endMs = performance.now() + BOUND_MS;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`it did not come to pass: ${run.output.stdout}${run.output.stderr}`);
    await sleep(25);
  }
}

async function get(url: string, init: RequestInit = {}): Promise<unknown> {
  const response = await fetch(url, init);
  const text = await response.text();
  return text.startsWith("{") ? JSON.parse(text) : text;
}

/** Starts a workflow of the one task, and waits for its output. */
async function count(ready: Ready, run: Running, rows: readonly string[]): Promise<unknown> {
  const json = { "content-type": "application/json" };
  const tasks = [
    {
      name: "rows.count",
      taskReferenceName: "c",
      type: "SIMPLE",
      inputParameters: { params: "${workflow.input.params}" },
    },
  ];
  const definition = { name: "count", version: 1, schemaVersion: 2, ownerEmail: "data@example.com", tasks };
  const put = { method: "PUT", headers: json, body: JSON.stringify([{ ...definition, timeoutSeconds: 0 }]) };
  await get(`${ready.conductor.url}/metadata/workflow`, put);
  const body = JSON.stringify({ name: "count", version: 1, input: { params: { rows } } });
  const id = String(await get(`${ready.conductor.url}/workflow`, { method: "POST", headers: json, body }));
  let output: unknown;
  await until(async () => {
    const workflow = (await get(`${ready.conductor.url}/workflow/${id}?includeTasks=true`)) as {
      status: string;
      tasks: { outputData: unknown }[];
    };
    output = workflow.tasks[0]?.outputData;
    return workflow.status === "COMPLETED";
  }, run);
  return output;
}

describe("perago dev", { timeout: TIMEOUT_MS }, () => {
  test("servers, TaskDef, repository and host are there with one command; SIGINT ends all with 0; state stays", async () => {
    const folder = await project();
    const { run, ready } = await begin(folder, "count.ts", "-j", "2");
    expect(ready.tasks).toEqual([{ name: "rows.count", slots: 2 }]);
    expect(await count(ready, run, ["a", "b"])).toMatchObject({ result: { count: 2 } });
    const settings = await readFile(ready.settings, "utf8");
    expect(settings).toContain(`LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY=${ready.lakefs.secretAccessKey}`);
    const same = await perago(["extract", "count.ts", "--check", "server", "--dotenv", ready.settings], { folder });
    expect(same.exitCode).toBe(0);
    const { url, accessKeyId, secretAccessKey } = ready.lakefs;
    const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`;
    const branch = await get(`${url}/api/v1/repositories/dev/branches/main`, { headers: { authorization } });
    expect(branch).toMatchObject({ id: "main" });

    run.kill("SIGINT");
    const { exitCode, stdout, stderr } = await run.ended;
    expect({ exitCode, lines: stdout.split("\n").length }).toEqual({ exitCode: 0, lines: 2 });
    expect(stderr).not.toContain(secretAccessKey);
    await expect(fetch(ready.conductor.url)).rejects.toThrow("fetch failed");
    expect(existsSync(ready.settings)).toBe(false);

    const again = await begin(folder);
    expect(again.ready.lakefs.secretAccessKey).toBe(secretAccessKey);
    expect(await get(`${again.ready.conductor.url}/metadata/taskdefs/rows.count`)).toMatchObject({
      name: "rows.count",
    });
    again.run.kill("SIGTERM");
    expect((await again.run.ended).exitCode).toBe(0);
  });

  test("a changed import is taken up, TaskDef too; a broken one is shown while what is loaded goes on", async () => {
    const folder = await project();
    const { run, ready } = await begin(folder, "count.ts", "--ephemeral");
    // Its executor has loaded the module then.
    expect(await count(ready, run, [])).toMatchObject({ result: { count: 0 } });
    await writeFile(path.join(folder, "more.ts"), "export const more = 1 +;\n");
    await until(() => run.output.stderr.includes("what is loaded goes on"), run);
    expect(run.output.stderr).toContain("module_syntax");
    expect(await count(ready, run, ["a"])).toMatchObject({ result: { count: 1 } });

    const module = await readFile(path.join(folder, "count.ts"), "utf8");
    await writeFile(path.join(folder, "more.ts"), "export const more = 2;\n");
    await writeFile(
      path.join(folder, "count.ts"),
      module.replace("params.rows.length", "params.rows.length * 10").replace("seconds: 60", "seconds: 70"),
    );
    const taskDef = async () =>
      (await get(`${ready.conductor.url}/metadata/taskdefs/rows.count`)) as { timeoutSeconds: number };
    await until(async () => (await taskDef()).timeoutSeconds === 70, run);
    await until(() => run.output.stderr.split("polls for rows.count").length === 3, run);
    expect(await count(ready, run, ["a"])).toMatchObject({ result: { count: 10 } });

    run.kill("SIGTERM");
    expect((await run.ended).exitCode).toBe(0);
    expect(existsSync(ready.state)).toBe(false);
    expect(await readdir(folder)).not.toContain(".perago");
  });

  test("a second one in the same folder is refused with 2, and the first goes on", async () => {
    const folder = await project();
    const { run, ready } = await begin(folder);
    expect(ready.tasks).toEqual([]);
    const second = await perago(["dev"], { folder });
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toContain("dev_running");
    expect(await get(`${ready.conductor.url.replace("/api", "")}/health`)).toMatchObject({ healthy: true });
    run.kill("SIGTERM");
    expect((await run.ended).exitCode).toBe(0);
  });

  test("a port that is taken, wrong settings and a wrong port are 2", async () => {
    const folder = await project();
    await mkdir(path.join(folder, "other"));
    const { run, ready } = await begin(folder, "--ephemeral");
    const taken = await perago(["dev", "--lakefs-port", new URL(ready.lakefs.url).port], { folder });
    expect(taken.exitCode).toBe(2);
    expect(taken.stderr).toContain("Choose another port");
    const settings = await perago(["dev", "--ephemeral", "-j", "none"], { folder });
    expect(settings.exitCode).toBe(2);
    expect(settings.stderr).toContain("-j");
    const port = await perago(["dev", "--conductor-port", "70000"], { folder });
    expect(port).toMatchObject({ exitCode: 2, stdout: "" });
    run.kill("SIGTERM");
    expect((await run.ended).exitCode).toBe(0);
  });
});
