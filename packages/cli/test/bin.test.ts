import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { fixture, perago, temporaryFolder } from "./support/perago.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const BIN = fileURLToPath(new URL("../bin/perago.mjs", import.meta.url));

// `pnpm test` builds first.
test("node_modules/.bin/perago runs under the right Node at the root and in apps/worker, whatever Node comes first", async () => {
  const environment = { PATH: "/usr/local/bin:/usr/bin:/bin" };
  for (const folder of [ROOT, path.join(ROOT, "apps/worker")]) {
    const command = [path.join(folder, "node_modules/.bin/perago")] as const;
    const { exitCode, stdout, stderr } = await perago(["--version"], { command: [...command], folder, environment });
    expect({ exitCode, stderr, folder }).toEqual({ exitCode: 0, stderr: "", folder });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  }
});

test("the built command checks a task module that lies in no package's src", async () => {
  const folder = await mkdtemp(path.join(ROOT, "e2e", "cli-bin-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  await copyFile(fixture("free.ts"), path.join(folder, "task.ts"));
  const command = [path.join(ROOT, "node_modules/.bin/perago")] as const;
  const { exitCode, stdout } = await perago(["check", "task.ts"], { command: [...command], folder });
  expect(stdout).toContain("ok       plain.first   task.ts");
  expect(exitCode).toBe(0);
});

test("without a build the command says how to make one: 2", async () => {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, "bin"));
  await copyFile(BIN, path.join(folder, "bin/perago.mjs"));
  const { exitCode, stderr } = await perago(["--version"], {
    command: [process.execPath, path.join(folder, "bin/perago.mjs")],
  });
  expect(exitCode).toBe(2);
  expect(stderr).toContain("pnpm build");
});

test("a Node below 24.12 is refused with its version and the mend: 2; 24.12 is accepted", async () => {
  const folder = await temporaryFolder();
  const run = async (version: string) => {
    const pretend = path.join(folder, "pretend.mjs");
    const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`;
    await writeFile(pretend, `Object.defineProperty(process, "versions", { value: ${versions} });`);
    return await perago(["--version"], { command: [process.execPath, "--import", pretend, BIN] });
  };
  for (const version of ["18.20.0", "24.11.9"]) {
    const { exitCode, stderr } = await run(version);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`needs Node 24.12 or newer; this is ${version}`);
    expect(stderr).toContain("devDependencies");
  }
  expect((await run("24.12.0")).exitCode).toBe(0);
  expect((await run("26.0.0")).exitCode).toBe(0);
});
