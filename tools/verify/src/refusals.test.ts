import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { layers } from "./layers/table.ts";
import type { Step } from "./run-steps.ts";
import { layersStep } from "./steps/layers-step.ts";
import { limitsStep } from "./steps/limits-step.ts";
import { programs, programStep } from "./steps/programs.ts";
import { rulesStep } from "./steps/rules-step.ts";
import { caseIds, faultIds, ruleIds } from "./rules/ids.ts";
import { withTree } from "./test-tree.ts";

// The gate's own steps and the repository's own configuration files, on small trees that break one thing each.
const toolRoot = fileURLToPath(new URL("../../..", import.meta.url));
const lintConfig = readFileSync(`${toolRoot}/.oxlintrc.json`, "utf8");
const formatConfig = readFileSync(`${toolRoot}/.oxfmtrc.json`, "utf8");

type Files = Readonly<Record<string, string>>;

/** What the step says about the tree: "" where it accepts. */
function judge(files: Files, makeStep: (root: string) => Step): Promise<string> {
  return withTree(files, async (root) => {
    const { ok, details } = await makeStep(root).run();
    return ok ? "" : details;
  });
}

/** The linter without type information, which a tree without packages cannot give. */
function lint(files: Files): Promise<string> {
  const command = programs.lint.filter((argument) => argument !== "--type-aware");
  return judge({ ".oxlintrc.json": lintConfig, ...files }, (root) => programStep("lint", command, root, toolRoot));
}

function functionOf(lineCount: number): string {
  return `export function f(a: number[]): void {\n${"  a.push(1);\n".repeat(lineCount - 2)}}\n`;
}

describe("lint", () => {
  it.each(["fence", "budget", "taskdef"])("keeps @perago/%s pure", async (name) => {
    const path = `packages/${name}/src/a.ts`;
    const impure = [
      `import { readFileSync } from "node:fs";\nexport const a = readFileSync;`,
      `import { join } from "path";\nexport const a = join;`,
      `export const a = process.pid;`,
      `export const a = Date.now();`,
      `export const a = new Date();`,
      `export const a = Math.random();`,
      `export const a = fetch("http://127.0.0.1");`,
      `export const a = globalThis;`,
    ];
    const verdicts = await Promise.all(impure.map((text) => lint({ [path]: text })));
    for (const [index, verdict] of verdicts.entries()) expect(verdict, impure[index]).toContain("pure");
    expect(
      await lint({
        [path]: `export const a = Math.max(1, 2);\n`,
        [`packages/${name}/src/a.test.ts`]: `export { join } from "node:path";\n`,
      }),
    ).toBe("");
  });

  it("refuses a package that imports another one's src, by path and by name, and accepts the package", async () => {
    const text = (from: string): Files => ({
      "packages/worker/src/a.ts": `import { f } from "${from}";\nexport const a = f;\n`,
    });
    expect(await lint(text("../../fence/src/f.ts"))).toContain("not another package's src");
    expect(await lint(text("@perago/fence/src/f.ts"))).toContain("not a file inside it");
    expect(await lint(text("@perago/fence"))).toBe("");
  });

  it("allows exactly the imports of the layers table", async () => {
    for (const layer of layers) {
      const others = layers.filter(({ name, folder }) => name !== layer.name && folder.startsWith("packages/"));
      const files = others.map(({ name }, index) => [
        `${layer.folder}/src/a${index}.ts`,
        `export { f } from "${name}";\n`,
      ]);
      const verdict = await lint(Object.fromEntries(files));
      const refused = others.filter((_other, index) => verdict.includes(`/src/a${index}.ts`)).map(({ name }) => name);
      expect(refused, layer.name).toEqual(
        others.map(({ name }) => name).filter((name) => !layer.mayImport.includes(name)),
      );
    }
  }, 60_000);

  it.each([
    ["a default export in a library", "export default 1;", "Prefer named exports"],
    ["any", "export const a = (b: any): number => Number(b);", "no-explicit-any"],
    ["the console", "console.log(1);", "Unexpected console"],
    ["process.exit", "process.exit(1);", "process.exit()"],
    ["process.env", "export const a = process.env;", "process.env"],
    ["a function of 80 lines", functionOf(80), "too many lines (80)"],
    ["a file of 450 lines", "export {};\n".repeat(450), "too many lines (450)"],
  ])("refuses %s", async (_what, text, wanted) => {
    expect(await lint({ "packages/worker/src/a.ts": text })).toContain(wanted);
  });

  it("refuses another package's src in tools and end-to-end tests too", async () => {
    const text = `export { f } from "../../packages/fence/src/f.ts";\n`;
    expect(await lint({ "e2e/src/a.test.ts": text })).toContain("not another package's src");
    expect(await lint({ "tools/a/a.ts": text })).toContain("not another package's src");
    expect(await lint({ "tools/a/a.ts": `export { f } from "../b/f.ts";\n` })).toBe("");
  });

  it("refuses a mocked module and a test that runs alone", async () => {
    const test = (body: string): Files => ({
      "packages/worker/src/a.test.ts": `import { it, vi } from "vitest";\n${body}\n`,
    });
    expect(await lint(test(`vi.mock("./a.ts");\nit("a", () => {});`))).toContain("nothing is module-mocked");
    expect(await lint(test(`it.only("a", () => void vi);`))).toContain("no-focused-tests");
  });

  it("refuses a cycle", async () => {
    const cycle = {
      "packages/worker/src/a.ts": `import { b } from "./b.ts";\nexport const a = (): unknown => b;\n`,
      "packages/worker/src/b.ts": `import { a } from "./a.ts";\nexport const b = (): unknown => a;\n`,
    };
    expect(await lint(cycle)).toContain("Dependency cycle");
  });

  it("accepts these where they belong", async () => {
    const files = {
      "packages/worker/src/config/env.ts": "export const a = process.env;\n",
      "packages/cli/src/main.ts": "process.exit(1);\n",
      "packages/worker/tsdown.config.ts": "export default 1;\n",
      "apps/worker/src/tasks/a.ts": "export default 1;\n",
      "packages/lakefs-sync/src/client/generated/a.ts": `export type A = any;\n${functionOf(500)}`,
      "packages/worker/src/b.ts": functionOf(70),
    };
    expect(await lint(files)).toBe("");
  });
});

describe("format", () => {
  const format = (text: string): Promise<string> =>
    judge({ ".oxfmtrc.json": formatConfig, "packages/a/src/a.ts": text }, (root) =>
      programStep("format", programs.format, root, toolRoot),
    );

  it("refuses a bad format and accepts a good one", async () => {
    expect(await format("export   const a='b'\n")).toContain("packages/a/src/a.ts");
    expect(await format(`export const a = "b";\n`)).toBe("");
  });
});

describe("limits", () => {
  const limits = (files: Files): Promise<string> => judge(files, (root) => limitsStep(root, toolRoot));

  it("refuses a function with 80 lines and accepts one with 70", async () => {
    expect(await limits({ "packages/a/src/a.ts": functionOf(80) })).toContain(
      "packages/a/src/a.ts:1: The function `f`",
    );
    expect(await limits({ "packages/a/src/a.ts": functionOf(70) })).toBe("");
  });

  it("refuses a file with 450 lines and accepts a generated one", async () => {
    const text = "a();\n".repeat(450);
    expect(await limits({ "tools/a/src/a.ts": text })).toContain("tools/a/src/a.ts: 450 lines, at most 400");
    expect(await limits({ "tools/a/src/generated/a.ts": text, "tools/a/src/b.ts": "b();\n" })).toBe("");
  });

  it("measures each test, and lets a describe be as long as its tests", async () => {
    const test = (lineCount: number): string => `  it("a", () => {\n${"    a();\n".repeat(lineCount - 2)}  });\n`;
    const suite = (lineCount: number): Files => ({
      "e2e/a.test.ts": `describe("a (b), c", () => {\n${test(lineCount)}${test(lineCount)}});\n`,
    });
    expect(await limits(suite(60))).toBe("");
    expect((await limits(suite(80))).split("\n")).toHaveLength(2);
  });
});

describe("layers", () => {
  it("refuses an import from another package's src and an unknown package, and accepts a clean tree", async () => {
    const files = {
      "packages/fence/package.json": `{ "name": "@perago/fence" }`,
      "packages/fence/src/index.ts": `export { a } from "./a.ts";\n`,
      "packages/fence/src/a.ts": `export const a = 1;\n`,
    };
    expect(await judge(files, layersStep)).toBe("");
    const reaching = { ...files, "packages/fence/src/b.ts": `export { c } from "../../budget/src/c.ts";\n` };
    expect(await judge(reaching, layersStep)).toContain(
      "packages/fence/src/b.ts:1: ../../budget/src/c.ts leaves the package",
    );
    expect(await judge({ ...files, "packages/x/package.json": "{}" }, layersStep)).toContain("packages/x: no row");
  });
});

describe("rules", () => {
  const page = (state: string): string =>
    [
      ...ruleIds.map((id) => `| ${id} | w | ${id === "P2" ? state : "planned"} | - | - |`),
      ...caseIds.map((id) => `| ${id} | planned | - |`),
      ...faultIds.map((id) => `| ${id} | w | planned | - |`),
    ].join("\n");
  const source = { "packages/fence/src/a.ts": "// P2\n" };
  const proof = { "packages/fence/src/a.test.ts": `it("rule P2: own commits", () => {});\n` };

  it("refuses a built rule without a test, and accepts it with one", async () => {
    expect(await judge({ "docs/rules.md": page("built"), ...source }, rulesStep)).toContain(
      'no test title says "rule P2"',
    );
    expect(await judge({ "docs/rules.md": page("built"), ...source, ...proof }, rulesStep)).toBe("");
  });

  it("refuses a checkout without the page", async () => {
    expect(await judge(source, rulesStep)).toContain("rule I1 has no row");
  });
});

describe("types, unit, build", () => {
  it("fail when their program fails or is missing, with what it printed", async () => {
    const failing = await programStep(
      "unit",
      ["node", "-e", "console.log('no luck'); process.exit(3)"],
      toolRoot,
    ).run();
    expect(failing).toEqual({ ok: false, details: expect.stringContaining("no luck") });
    expect(await programStep("unit", ["no-such-program"], toolRoot).run()).toMatchObject({ ok: false });
    expect(await programStep("unit", ["node", "-e", ""], toolRoot).run()).toMatchObject({ ok: true });
  });
});
