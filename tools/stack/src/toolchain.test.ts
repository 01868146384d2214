import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findGo, findJava, findMaven } from "./toolchain.ts";
import type { ToolSearch } from "./toolchain.ts";

let folder = "";
let search: ToolSearch = { environment: {}, home: "" };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "perago-tools-"));
  const environment = { PATH: join(folder, "bin"), JAVA_HOME: join(folder, "chosen") };
  search = {
    environment,
    home: join(folder, "home"),
    goFolders: [join(folder, "go")],
    javaRoots: [join(folder, "jvm")],
  };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function program(path: string, answer: string): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\necho '${answer}'\n`);
  await chmod(file, 0o755);
  return file;
}

it("names a Go that is too old, what is needed, and how to get it", async () => {
  const old = await program("bin/go", "go version go1.19.8 linux/amd64");
  await expect(findGo(search)).rejects.toMatchObject({
    code: "GO_MISSING",
    exitCode: 2,
    message: `building lakeFS needs Go 1.26.4 or newer; ${old} is 1.19.8`,
    hint: expect.stringMatching(/^install it with: .+ install /),
  });
});

it("passes by an old Go on PATH for a good one elsewhere, also one that `stack install` brought", async () => {
  await program("bin/go", "go version go1.26.3 linux/amd64");
  const brought = await program("home/tools/go/go/bin/go", "go version go1.26.6 linux/amd64");
  expect(await findGo(search)).toBe(brought);
  const usual = await program("go/bin/go", "go version go1.26.4 linux/amd64");
  expect(await findGo(search)).toBe(usual);
});

it("takes JAVA_HOME, then PATH, then the newest that is installed", async () => {
  await program("jvm/java-21/bin/java", 'openjdk version "21.0.9"');
  const newest = await program("jvm/java-25/bin/java", 'openjdk version "25.0.3"');
  await program("bin/java", 'openjdk version "17.0.15"');
  expect(await findJava(search)).toBe(newest);
  const chosen = await program("chosen/bin/java", 'openjdk version "21"');
  expect(await findJava(search)).toBe(chosen);
});

it("names a Java that is too old or does not run", async () => {
  await program("bin/java", 'openjdk version "17.0.15"');
  await program("jvm/broken/bin/java", "Error: could not find libjava.so");
  const refused = { code: "JAVA_MISSING", exitCode: 2, message: expect.stringMatching(/17\.0\.15.*not runnable/) };
  await expect(findJava(search)).rejects.toMatchObject(refused);
});

it("says that nothing was found where nothing is", async () => {
  await expect(findJava(search)).rejects.toThrow("none was found");
  await expect(findMaven(search)).rejects.toMatchObject({ code: "MAVEN_MISSING", exitCode: 2 });
  const maven = await program("bin/mvn", "");
  expect(await findMaven(search)).toBe(maven);
});
