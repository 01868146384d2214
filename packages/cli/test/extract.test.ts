import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { deadAddress, fakeConductor } from "./support/fake-conductor.ts";
import { fixture, perago, temporaryFolder } from "./support/perago.ts";

const MODULES = [fixture("build.ts"), fixture("free.ts")];

let printed: Promise<string> | undefined;

async function extractedText(): Promise<string> {
  printed ??= perago(["extract", ...MODULES]).then(({ stdout }) => stdout);
  return await printed;
}

async function extracted(): Promise<Record<string, unknown>[]> {
  return JSON.parse(await extractedText()) as Record<string, unknown>[];
}

describe("perago extract", () => {
  test("case C01, case C03: prints an array of TaskDefs, the same bytes each time", async () => {
    const first = await perago(["extract", ...MODULES, "--json"]);
    expect({ exitCode: first.exitCode, stderr: first.stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(await extractedText()).toBe(first.stdout);
    const definitions = JSON.parse(first.stdout) as Record<string, unknown>[];
    expect(definitions.map(({ name }) => name)).toEqual(["features.build", "plain.first", "plain.second"]);
    expect(definitions.map((each) => each["responseTimeoutSeconds"])).toEqual([120, 30, 600]);
    expect(new Set(definitions.map((each) => each["ownerEmail"]))).toEqual(new Set(["data@example.com"]));
    expect(first.stdout).not.toContain("publishBudget");
  });

  test("-o writes a file that --check accepts, until a byte of the meaning changes", async () => {
    const folder = await temporaryFolder();
    const written = await perago(["extract", ...MODULES, "-o", "defs.json"], { folder });
    expect({ exitCode: written.exitCode, stdout: written.stdout }).toEqual({ exitCode: 0, stdout: "" });
    expect(await readdir(folder)).toEqual(["defs.json"]);
    const file = path.join(folder, "defs.json");
    expect(await readFile(file, "utf8")).toBe(await extractedText());
    expect((await perago(["extract", ...MODULES, "--check", "defs.json"], { folder })).exitCode).toBe(0);

    const definitions = await extracted();
    definitions[1] = { ...definitions[1], retryCount: 9, pollTimeoutSeconds: 5 };
    await writeFile(file, JSON.stringify(definitions));
    const checked = await perago(["extract", ...MODULES, "--check", "defs.json"], { folder });
    expect(checked.exitCode).toBe(1);
    expect(checked.stdout).toContain("retryCount: 9 -> 3");
    expect(checked.stdout).toContain("pollTimeoutSeconds: 5 -> (none)");
    expect(checked.stdout).toContain("ok       features.build  same");
    expect(checked.stderr).toContain("perago extract <modules...> -o defs.json");
  });

  test.for([{ given: "defs/" }, { given: "there" }])("-o $given writes a file per task", async ({ given }) => {
    const folder = await temporaryFolder();
    await mkdir(path.join(folder, "there"));
    const run = await perago(["extract", ...MODULES, "-o", given, "--json"], { folder });
    expect(run.exitCode).toBe(0);
    const names = ["features.build.json", "plain.first.json", "plain.second.json"];
    expect(await readdir(path.join(folder, given))).toEqual(names);
    expect(JSON.parse(run.stdout)).toEqual({ written: names.map((name) => path.join(given, name)) });
    expect((await perago(["extract", ...MODULES, "--check", given], { folder })).exitCode).toBe(0);
    const fewer = await perago(["extract", fixture("free.ts"), "--check", given], { folder });
    expect(fewer.exitCode).toBe(0);
    expect(fewer.stderr).toContain("features.build.json");
  });

  test("--check tells a missing task, and one that the modules do not have", async () => {
    const folder = await temporaryFolder();
    await perago(["extract", fixture("build.ts"), "-o", "defs.json"], { folder });
    const run = await perago(["extract", fixture("free.ts"), "--check", "defs.json", "--json"], { folder });
    expect(run.exitCode).toBe(1);
    const report = JSON.parse(run.stdout) as { same: boolean; tasks: { name: string; status: string }[] };
    expect(report.same).toBe(false);
    expect(report.tasks.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "plain.first missing",
      "plain.second missing",
      "features.build not_in_modules",
    ]);
  });

  test("a module with an error refuses, and what was written before stays", async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, "defs.json");
    await writeFile(file, "before");
    const run = await perago(["extract", fixture("free.ts"), fixture("bad.ts"), "-o", "defs.json"], { folder });
    expect({ exitCode: run.exitCode, stdout: run.stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(run.stderr).toContain("budget_merge_timeout_too_small");
    expect(await readFile(file, "utf8")).toBe("before");
    const json = await perago(["extract", fixture("bad.ts"), "--json"]);
    expect(json.stdout).toBe("");
    const { error } = JSON.parse(json.stderr) as { error: { code: string; findings: unknown[] } };
    expect({ code: error.code, count: error.findings.length }).toEqual({ code: "modules_refused", count: 4 });
  });

  test("a path that cannot be written is a usage error that names it, and leaves nothing behind", async () => {
    const folder = await temporaryFolder();
    const run = await perago(["extract", fixture("free.ts"), "-o", "no/such/file.json"], { folder });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain("no/such/file.json cannot be written: ENOENT");
    expect(await readdir(folder)).toEqual([]);
  });

  test("a link stays a link, and what it leads to is replaced", async () => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, "real.json"), "[]");
    await symlink("real.json", path.join(folder, "link.json"));
    expect((await perago(["extract", fixture("free.ts"), "-o", "link.json"], { folder })).exitCode).toBe(0);
    expect(await readFile(path.join(folder, "real.json"), "utf8")).toContain("plain.first");
    expect((await readdir(folder)).toSorted()).toEqual(["link.json", "real.json"]);
  });

  test.for([{ text: "{" }, { text: "{}" }])("--check of a file with $text says what is wrong", async ({ text }) => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, "defs.json"), text);
    const run = await perago(["extract", fixture("free.ts"), "--check", "defs.json"], { folder });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("defs.json is not what extract writes");
  });
});

describe("perago extract --check server", () => {
  const check = async (url: string) =>
    await perago(["extract", ...MODULES, "--check", "server"], { environment: { CONDUCTOR_SERVER_URL: url } });

  test("accepts what is registered, also with fields of the engine beside it", async () => {
    const definitions = (await extracted()).map((each) => ({ ...each, createTime: 1, concurrentExecLimit: 4 }));
    const engine = await fakeConductor(definitions);
    expect((await check(engine.url)).exitCode).toBe(0);
    expect(engine.requests.every((request) => request.startsWith("GET "))).toBe(true);
  });

  test("refuses what differs or is not there, with the place", async () => {
    const [first, second] = await extracted();
    const schema = structuredClone(first?.["inputSchema"]) as { data: { properties: Record<string, unknown> } };
    schema.data.properties = { ...schema.data.properties, params: { type: "object" } };
    const engine = await fakeConductor([
      { ...first, retryCount: 1, inputSchema: schema },
      { ...second, responseTimeoutSeconds: 3600 },
    ]);
    const run = await check(engine.url);
    expect(run.exitCode).toBe(1);
    expect(run.stdout).toContain("retryCount: 1 -> 3");
    expect(run.stdout).toContain("inputSchema.data.properties.params.properties: (none) -> ");
    expect(run.stdout).toContain("responseTimeoutSeconds: 3600 -> 30");
    expect(run.stdout).toContain("plain.second  not registered");
  });

  test("a server that is down is 3, named with its address", async () => {
    const url = await deadAddress();
    const run = await check(url);
    expect({ exitCode: run.exitCode, stdout: run.stdout }).toEqual({ exitCode: 3, stdout: "" });
    expect(run.stderr).toContain(`Conductor at ${url} cannot be reached`);
  });

  test("without an address it is 2, and says which variable to set", async () => {
    const run = await perago(["extract", ...MODULES, "--check", "server"]);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain("CONDUCTOR_SERVER_URL");
  });
});
