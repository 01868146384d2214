import { mkdir, symlink } from "node:fs/promises";
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { realClock } from "../executor/testing/harness.ts";
import { describeModules, type DescribedModules } from "./describe-modules.ts";
import { openModules, taskModule, type ModuleFolder } from "./testing/modules.ts";

async function describeIn(
  folder: ModuleFolder,
  names: readonly string[],
  importDeadlineMs = 20_000,
): Promise<DescribedModules> {
  return describeModules(names, { clock: realClock, environment: process.env, folder: folder.path, importDeadlineMs });
}

/** The findings of one module with this text. */
async function findingsOf(text: string, options: { name?: string; isInstalled?: boolean } = {}) {
  await using folder = await openModules({ isInstalled: options.isInstalled ?? true });
  await folder.write("x.ts", "export const x: number = 1;\nexport type X = number;\n");
  await folder.write("common.cjs", "module.exports = (() => ({ a: 1 }))();\n");
  await folder.write(options.name ?? "task.ts", text);
  const described = await describeIn(folder, [options.name ?? "task.ts"]);
  expect(described.tasks).toEqual([]);
  return described.findings;
}

describe("describeModules", () => {
  test("tasks of a module outside any package are described as data, default and named, each once", async () => {
    await using folder = await openModules({ isInstalled: true });
    const workspace =
      'workspace: { prefix: "/audio/render", pre: [requireFile("a.csv")] }, controls: { timeout: { seconds: 700 } },';
    const budget = `controls: { publishBudget: { observedMergeP99Seconds: 20, safetyMarginSeconds: 10,
      lakefsMergeTimeoutSeconds: 45, conductorCompletionTimeoutSeconds: 15, workerShutdownGraceSeconds: 30,
      heartbeatIntervalSeconds: 10 } }, workspace: { prefix: "/" },`;
    await folder.write("one.ts", taskModule("features.build", workspace));
    await folder.write(
      "two.mts",
      `${taskModule("a.default", budget)}
       const other = defineTask({ name: "b.named", ownerEmail: "data@example.com", params: z.object({}),
         output: z.object({}), run: () => ({}) });
       export { other, other as again };`,
    );
    const { tasks, findings } = await describeIn(folder, ["one.ts", "two.mts"]);
    expect(findings).toEqual([]);
    expect(tasks.map(({ name, exportName, modulePath }) => [name, exportName, path.basename(modulePath)])).toEqual([
      ["features.build", "default", "one.ts"],
      ["a.default", "default", "two.mts"],
      ["b.named", "again", "two.mts"],
    ]);
    expect(tasks[0]).toMatchObject({
      workspace: { prefix: "/audio/render", readOnly: false, pre: [{ kind: "requireFile", path: "a.csv" }], post: [] },
      timeoutSeconds: 700,
      responseSeconds: 600,
      taskDef: { name: "features.build", inputKeys: ["workspace", "params"] },
    });
    expect(tasks[1]?.publishBudget?.lakefsMergeTimeoutSeconds).toBe(45);
    expect(tasks[2]?.workspace).toBeUndefined();
  });

  test("warnings stay with their task; a task with errors is not in the list, all its findings are", async () => {
    await using folder = await openModules({ isInstalled: true });
    await folder.write("warned.ts", taskModule("a.warned"));
    await folder.write("bad.ts", taskModule("a.bad", "controls: { retry: { count: 99 }, exactOnce: true },"));
    const { tasks, findings } = await describeIn(folder, ["warned.ts", "bad.ts"]);
    expect(tasks.map(({ name }) => name)).toEqual(["a.warned"]);
    expect(tasks[0]?.findings.map(({ code }) => code)).toEqual(["body_time_unlimited"]);
    const errors = findings.filter(({ severity }) => severity === "error");
    expect(errors.length).toBeGreaterThanOrEqual(2);
    for (const finding of findings) expect(finding.message).toMatch(/^a\.bad: /);
  });

  test("a name that is used twice is an error that names both files", async () => {
    await using folder = await openModules({ isInstalled: true });
    await folder.write("one.ts", taskModule("same.name"));
    await folder.write("two.ts", taskModule("same.name"));
    const { findings } = await describeIn(folder, ["one.ts", "two.ts"]);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ severity: "error", code: "task_name_twice" });
    expect(findings[0]?.message).toMatch(/one\.ts.*two\.ts/);
  });

  test("one module given by two paths is one module", async () => {
    await using folder = await openModules({ isInstalled: true });
    await folder.write("one.ts", taskModule("same.name"));
    await symlink(path.join(folder.path, "one.ts"), path.join(folder.path, "link.ts"));
    const { tasks, findings } = await describeIn(folder, ["one.ts", "./one.ts", "link.ts"]);
    expect(findings).toEqual([]);
    expect(tasks).toHaveLength(1);
  });

  test("a plain module of JavaScript, also CommonJS, is fine", async () => {
    await using folder = await openModules({ isInstalled: true });
    await folder.write("plain.mjs", taskModule("a.mjs"));
    const common = 'const { defineTask } = require("@perago/taskdef");\nconst { z } = require("zod");\n';
    await folder.write("common/package.json", '{ "type": "commonjs" }');
    const options =
      '{ name: "a.cjs", ownerEmail: "d@example.com", params: z.object({}), output: z.object({}), run: () => ({}) }';
    await folder.write("common/task.js", `${common}module.exports = defineTask(${options});\n`);
    const { tasks } = await describeIn(folder, ["plain.mjs", "common/task.js"]);
    expect(tasks.map(({ name }) => name)).toEqual(["a.mjs", "a.cjs"]);
  });
});

describe("a module that cannot be imported", () => {
  test.each<[string, string, string, RegExp]>([
    ["throws", 'throw new Error("no such library");', "module_throws", /no such library/],
    ["throws a text", 'throw "just text";', "module_throws", /just text/],
    ["an enum", "enum Color { red }\nexport default Color;", "module_syntax", /as const/],
    ["a parameter property", "export class A { constructor(private x: number) {} }", "module_syntax", /assign it/],
    [
      "a decorator",
      "const d = (..._: unknown[]) => {};\n@d class A {}\nexport default A;",
      "module_syntax",
      /ecorators/,
    ],
    ["a namespace", "namespace N { export const a = 1 }\nexport default N;", "module_syntax", /module of its own/],
    ["./x.js for ./x.ts", 'import { x } from "./x.js";\nexport default x;', "module_not_found", /x\.ts/],
    ["./x without an ending", 'import { x } from "./x";\nexport default x;', "module_not_found", /x\.ts/],
    [
      "a type imported as a value",
      'import { X } from "./x.ts";\nexport const a: X = 1;',
      "module_syntax",
      /import type/,
    ],
    ["require", 'const fs = require("node:fs");\nexport default fs;', "module_commonjs", /ES modules/],
    [
      "a named export of CommonJS",
      'import { a } from "./common.cjs";\nexport default a;',
      "module_commonjs",
      /default/,
    ],
    [
      "an unknown package",
      'import x from "no-such-package";\nexport default x;',
      "package_not_found",
      /no-such-package/,
    ],
    ["broken TypeScript", "export default (", "module_syntax", /tsc/],
  ])("fault J6: has advice by its error: %s", async (_what, text, code, mend) => {
    const findings = await findingsOf(text);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ severity: "error", code });
    expect(`${findings[0]?.message} ${findings[0]?.hint}`).toMatch(mend);
    expect(findings[0]?.message).toContain("task.ts");
  });

  test("import syntax in a CommonJS package asks for type: module", async () => {
    await using folder = await openModules({ isInstalled: true });
    await folder.write("common/package.json", '{ "type": "commonjs" }');
    await folder.write("common/task.ts", taskModule("a.b"));
    const { findings } = await describeIn(folder, ["common/task.ts"]);
    expect(findings[0]).toMatchObject({ code: "module_commonjs", hint: expect.stringContaining('"type": "module"') });
  });

  test("a .ts below node_modules says why Node refuses it", async () => {
    const findings = await findingsOf("export const a: number = 1;", { name: "node_modules/tasks/task.ts" });
    expect(findings[0]).toMatchObject({ code: "module_in_node_modules" });
  });

  test("@perago/taskdef and zod that are not beside the module: the hint says to install both there", async () => {
    const findings = await findingsOf(taskModule("a.b"), { isInstalled: false });
    expect(findings[0]).toMatchObject({ code: "package_not_found" });
    expect(findings[0]?.hint).toContain("npm install @perago/taskdef zod");
  });

  test("fault J6: a module that never ends its import is cut off, with all it started", async () => {
    await using folder = await openModules({ isInstalled: true });
    await folder.write("task.ts", "setInterval(() => {}, 1000);\nawait new Promise(() => {});\n");
    const { findings } = await describeIn(folder, ["task.ts"], 1_500);
    expect(findings[0]).toMatchObject({ code: "module_hangs", message: expect.stringContaining("1.5 s") });
  });

  test.each([
    ["process.exit(0);", "exit code 0"],
    ["process.exit(5);", "exit code 5"],
    ["process.abort();", "SIGABRT"],
  ])("fault J6: a module that ends the process is told, and the others are still described: %s", async (text, why) => {
    await using folder = await openModules({ isInstalled: true });
    await folder.write("bad.ts", text);
    await folder.write("good.ts", taskModule("a.good"));
    const { tasks, findings } = await describeIn(folder, ["bad.ts", "good.ts"]);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ code: "module_exits", message: expect.stringContaining(why) });
    expect(tasks.map(({ name }) => name)).toEqual(["a.good"]);
  });

  test("a module that keeps timers is described, and its process ends all the same", async () => {
    await using folder = await openModules({ isInstalled: true });
    await folder.write("task.ts", `${taskModule("a.timer")}setInterval(() => {}, 1000);\n`);
    expect((await describeIn(folder, ["task.ts"])).tasks).toHaveLength(1);
  });

  test("a module without a task says how to export one", async () => {
    expect((await findingsOf("export const a = 1;"))[0]).toMatchObject({ code: "module_without_task" });
    const bare = await findingsOf("export default { name: 'a', run() {} };");
    expect(bare[0]?.hint).toContain("Wrap");
  });
});

describe("the path of a module", () => {
  test.each([
    ["file:///tmp/x.ts", "module_url"],
    ["data:text/javascript,export default 1", "module_url"],
    ["https://example.com/x.ts", "module_url"],
    ["missing.ts", "module_missing"],
    ["a\0b.ts", "module_path"],
    ["", "module_path"],
    ["folder", "module_folder"],
    ["task.tsx", "module_extension"],
    ["task.cjs", "module_extension"],
    ["broken-link.ts", "module_missing"],
    ["fifo.ts", "module_no_file"],
  ])("fault J6: is refused with its reason, and nothing runs: %j", async (given, code) => {
    await using folder = await openModules({ isInstalled: true });
    await mkdir(path.join(folder.path, "folder"));
    for (const name of ["task.tsx", "task.cjs"]) await folder.write(name, "throw 1");
    await symlink(path.join(folder.path, "nowhere.ts"), path.join(folder.path, "broken-link.ts"));
    await promisify(execFile)("mkfifo", [path.join(folder.path, "fifo.ts")]);
    const { tasks, findings } = await describeIn(folder, [given]);
    expect(tasks).toEqual([]);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ severity: "error", code });
    expect(findings[0]?.hint).not.toBe("");
  });

  test("a link to a module that lies anywhere is accepted", async () => {
    await using folder = await openModules({ isInstalled: true });
    await using elsewhere = await openModules({ isInstalled: true });
    const target = await elsewhere.write("real.ts", taskModule("a.b"));
    await symlink(target, path.join(folder.path, "link.ts"));
    expect((await describeIn(folder, ["link.ts"])).tasks[0]).toMatchObject({ name: "a.b", modulePath: target });
  });
});
