import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "perago-taskdef-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Compiles one module with the preset, from a folder outside of the repository; what tsc says. */
async function compile(name: string, code: string): Promise<string> {
  const modules = join(root, "../../node_modules");
  await writeFile(join(folder, `${name}.ts`), code);
  const options = {
    extends: join(root, "preset/tsconfig.json"),
    compilerOptions: {
      customConditions: ["perago-source"],
      typeRoots: [join(modules, "@types")],
      paths: { "@perago/taskdef": [join(root, "src/index.ts")], zod: [join(root, "node_modules/zod/index.d.ts")] },
    },
    files: [`${name}.ts`],
  };
  await writeFile(join(folder, `${name}.json`), JSON.stringify(options));
  // A file beside the modules says that they are ES modules, as an author's package.json does.
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  const tsc = join(modules, ".bin/tsc");
  return run(tsc, ["--pretty", "false", "-p", join(folder, `${name}.json`)]).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? String(error),
  );
}

async function readmeExample(): Promise<string> {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const code = /```ts\n(.*?)```/s.exec(readme)?.[1];
  expect(code).toContain("defineTask");
  return code ?? "";
}

describe("the README and the preset", () => {
  test("the README's example compiles with the preset", async () => {
    expect(await compile("example", await readmeExample())).toBe("");
  });

  test("the compile test bites: a wrong example does not compile", async () => {
    const broken = (await readmeExample()).replace("rowCount: 100", 'rowCount: "100"');
    expect(await compile("broken", broken)).toMatch(/error TS/);
  });

  test("the preset refuses what Node cannot strip", async () => {
    expect(await compile("enums", "export enum Colour { red }\n")).toMatch(/TS1294/);
    expect(await compile("plain", 'export type Colour = "red";\n')).toBe("");
  });

  test("the package exports the preset, in the workspace and when published", async () => {
    const manifest: { exports: object; publishConfig: { exports: object }; files: string[] } = JSON.parse(
      await readFile(join(root, "package.json"), "utf8"),
    );
    expect(manifest.exports).toHaveProperty(["./tsconfig.json"], "./preset/tsconfig.json");
    expect(manifest.publishConfig.exports).toHaveProperty(["./tsconfig.json"], "./preset/tsconfig.json");
    expect(manifest.files).toContain("preset");
  });

  test("the README's mapping table names every field that extract writes", async () => {
    const readme = await readFile(join(root, "README.md"), "utf8");
    const taskDef = await readFile(join(root, "src/task-def.ts"), "utf8");
    const [, body = ""] = taskDef.split("export interface TaskDef {");
    const fields = [...body.matchAll(/readonly (\w+)\??:/g)].map(([, field]) => field);
    expect(fields).toHaveLength(20);
    expect(fields.filter((field) => !readme.includes(`\`${field}\``))).toEqual([]);
  });
});
