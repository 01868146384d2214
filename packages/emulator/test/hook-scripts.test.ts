import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { checkScript } from "../scripts/check-hook-scripts.ts";

const run = promisify(execFile);
const script = fileURLToPath(new URL("../scripts/check-hook-scripts.ts", import.meta.url));

function folderWith(lua: string): string {
  const folder = mkdtempSync(join(tmpdir(), "perago-hooks-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "_lakefs_actions"));
  const lines = lua.split("\n").map((line) => `        ${line}`);
  const head =
    "name: a check\non:\n  pre-merge:\nhooks:\n  - id: one\n    type: lua\n    properties:\n      script: |\n";
  writeFileSync(join(folder, "_lakefs_actions/check.yaml"), head + lines.join("\n"));
  return folder;
}

function check(folder: string): Promise<{ stdout: string; stderr: string }> {
  return run(process.execPath, ["--conditions=perago-source", script, folder]);
}

test("an action whose script both Luas understand is accepted", async () => {
  const folder = folderWith('if action.commit.parents[1] ~= "x" then\n  error("no")\nend');
  await expect(check(folder)).resolves.toMatchObject({ stdout: "1 files, 0 findings\n" });
});

test("an action whose script only one of them understands is refused, with file, hook and line", async () => {
  const folder = folderWith("local x = 1\nlocal y = 7 // 2\nlocal z = utf8.len('a')");
  const refused = check(folder).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(await refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/check\.yaml hook one:2: `\/\/` is not in[^]*hook one:3: utf8 is only in/),
  });
});

test.for([
  ["return bit32.band(1, 2)", "bit32"],
  ["return math.pow(2, 3)", "math.pow"],
  ["return table.move({}, 1, 2, 3)", "table.move"],
  ["return string.pack('i4', 1)", "string.pack"],
] as const)("a name that only one of them has is found: %s", ([code, name]) => {
  expect(checkScript("x", code)).toEqual([expect.stringContaining(name)]);
});

test.for([
  "return action.warn",
  "return 'utf8 bit32'",
  "-- math.pow",
  "local t = { mathpow = 1 } return t.mathpow",
  "return table.unpack({ 1 })",
])("what both have, or what is text, is let through: %s", (code) => {
  expect(checkScript("x", code)).toEqual([]);
});
