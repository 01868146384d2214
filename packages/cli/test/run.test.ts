import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { fixture, launch, perago, temporaryFolder } from "./support/perago.ts";

const FOLDER = fixture("folder.ts");
const BOUND_MS = 12_000;

async function workspace(): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(path.join(folder, "in.txt"), "in");
  return folder;
}

/** TMPDIR of its own, so that what stays in it is seen. */
async function scratch(): Promise<{ readonly folder: string; readonly environment: Record<string, string> }> {
  const folder = await temporaryFolder();
  return { folder, environment: { TMPDIR: folder } };
}

describe("perago run", () => {
  test("a writable task works in place, says so, and prints its result alone on stdout", async () => {
    const folder = await workspace();
    const { exitCode, stdout, stderr } = await perago(["run", FOLDER, "--task", "folder.upper", "--workspace", folder]);
    expect({ exitCode, result: JSON.parse(stdout) }).toEqual({ exitCode: 0, result: { length: 3 } });
    expect(stderr).toContain(`works in place on ${folder}`);
    expect(stderr).toContain('info     written  {"name":"out.txt"}');
    expect(await readFile(path.join(folder, "out.txt"), "utf8")).toBe("OUT");
  });

  test("--copy leaves the folder as it was, and the copy stays where --json says", async () => {
    const folder = await workspace();
    await mkdir(path.join(folder, "empty"));
    const { environment } = await scratch();
    const args = ["run", FOLDER, "--task", "folder.upper", "--workspace", folder, "--copy", "--json"];
    const { exitCode, stdout } = await perago(args, { environment });
    const report = JSON.parse(stdout) as { workspace: string };
    expect(report).toMatchObject({ task: "folder.upper", status: "COMPLETED", result: { length: 3 } });
    expect((await readdir(report.workspace)).toSorted()).toEqual(["in.txt", "out.txt"]);
    expect((await readdir(folder)).toSorted()).toEqual(["empty", "in.txt"]);
    expect(exitCode).toBe(0);
  });

  test("rule R1: a read-only task never touches the folder, and leaves nothing else behind", async () => {
    const folder = await workspace();
    const temporary = await scratch();
    const args = ["run", FOLDER, "--task", "folder.greedy", "--workspace", folder, "--json"];
    const { exitCode, stdout, stderr } = await perago(args, { environment: temporary.environment });
    expect({ exitCode, report: JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      report: { task: "folder.greedy", status: "COMPLETED", result: {}, workspace: null },
    });
    expect(stderr).toContain("what it changes is discarded");
    expect(await readdir(folder)).toEqual(["in.txt"]);
    expect(await readdir(temporary.folder)).toEqual([]);
  });

  test("rule T3: a guardrail that refuses is 1, with code and mend; before the body nothing is written", async () => {
    const empty = await temporaryFolder();
    const before = await perago(["run", FOLDER, "--task", "folder.upper", "--workspace", empty]);
    expect(before).toMatchObject({ exitCode: 1, stdout: "" });
    expect(before.stderr).toContain('requireFile: "in.txt" is missing  guardrail_pre');
    expect(before.stderr).toContain("FAILED_WITH_TERMINAL_ERROR");
    expect(await readdir(empty)).toEqual([]);
    const params = ["--params", '{"name":"half.tmp"}', "--workspace", await workspace(), "--json"];
    const after = await perago(["run", FOLDER, "--task", "folder.upper", ...params]);
    expect(after).toMatchObject({ exitCode: 1, stdout: "" });
    const error = JSON.parse(after.stderr.trim().split("\n").at(-1) ?? "") as { error: object };
    expect(error).toMatchObject({ error: { code: "guardrail_post", findings: [] } });
  });

  test("rule T7: a link in the folder of a read-only task is 1, and named", async () => {
    const folder = await workspace();
    await symlink("in.txt", path.join(folder, "link"));
    const run = await perago(["run", FOLDER, "--task", "folder.greedy", "--workspace", folder]);
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain('"link" is a symbolic link  workspace_unstageable');
  });

  test("a workspace-free task needs no folder; params that the schema refuses are 1", async () => {
    const run = await perago(["run", fixture("readme-example.ts"), "--params", '{"rows":["a"]}']);
    expect({ exitCode: run.exitCode, result: JSON.parse(run.stdout) }).toEqual({ exitCode: 0, result: { count: 1 } });
    const refused = await perago(["run", fixture("readme-example.ts"), "--params", '{"rows":1}']);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("input_invalid");
  });

  test.for([
    { args: [FOLDER], says: "Choose with --task: folder.greedy, folder.upper" },
    { args: [FOLDER, "--task", "folder.lower"], says: "Its tasks are: folder.greedy, folder.upper" },
    { args: [FOLDER, "--task", "folder.upper"], says: "--workspace DIR" },
    { args: [FOLDER, "--task", "folder.upper", "--workspace", "nowhere"], says: "nowhere does not exist" },
    { args: [FOLDER, "--task", "folder.upper", "--workspace", FOLDER], says: "is no folder" },
    { args: [fixture("readme-example.ts"), "--workspace", "."], says: "Leave out --workspace" },
    { args: [fixture("readme-example.ts"), "--params", "[1]"], says: "--params is no JSON object" },
    { args: [fixture("readme-example.ts"), "--params", "{"], says: "--params is no JSON object" },
  ])("perago run $args is 2: $says", async ({ args, says }) => {
    const { exitCode, stdout, stderr } = await perago(["run", ...args]);
    expect(stderr).toContain(says);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  });

  test("a module with errors is 1, with its findings", async () => {
    const { exitCode, stderr } = await perago(["run", fixture("enum.ts")]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("module_syntax");
  });

  test("SIGINT reaches the body, and ends the run with 130", async () => {
    const folder = await workspace();
    const params = ["--params", '{"waitFor":"ever"}', "--workspace", folder];
    const run = launch(["run", FOLDER, "--task", "folder.upper", ...params]);
    onTestFinished(() => run.kill("SIGKILL"));
    const endMs = performance.now() + BOUND_MS;
    while (!existsSync(path.join(folder, "out.txt"))) {
      if (performance.now() > endMs) throw new Error(`the body did not begin: ${run.output.stderr}`);
      await sleep(20);
    }
    run.kill("SIGINT");
    const { exitCode, stdout } = await run.ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
  });
});
