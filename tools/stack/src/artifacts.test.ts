import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { lakefsVersion, provideArtifacts } from "./artifacts.ts";
import type { ProvisionContext } from "./artifacts.ts";

const MODULE_ROOT = join(import.meta.dirname, "../../lakefs");
const JAR = "conductor-server-3.32.1-boot.jar";

// The machine may be busy: bounded, but not by the default second.
const POLL = { timeout: 15_000 };

let folder = "";
let lines: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "perago-artifacts-"));
  lines = [];
  await script("java", `echo 'openjdk version "25.0.3" 2026-04-21' >&2`);
  await script("mvn", `for a in "$@"; do case $a in -DoutputDirectory=*) printf jar > "\${a#*=}/${JAR}";; esac; done`);
  await goThat("printf bin > $out/lakefs; printf bin > $out/lakectl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function script(name: string, body: string): Promise<void> {
  const root = join(folder, "bin");
  await mkdir(root, { recursive: true });
  await writeFile(join(root, name), `#!/bin/sh\n${body}\n`);
  await chmod(join(root, name), 0o755);
}

/** A go command of a good version whose build does as told, with the output folder in $out. */
async function goThat(build: string): Promise<void> {
  const outputFolder = `while [ "$1" != -o ]; do shift; done; out=$2`;
  await script(
    "go",
    `[ "$1" = version ] && { echo go version go1.26.8 linux/amd64; exit 0; }\n${outputFolder}\n${build}`,
  );
}

function context(overrides: Partial<ProvisionContext> = {}): ProvisionContext {
  return {
    home: join(folder, "home"),
    environment: { PATH: `${join(folder, "bin")}:/usr/bin:/bin` },
    moduleRoot: MODULE_ROOT,
    conductorJarSha256: createHash("sha256").update("jar").digest("hex"),
    signal: new AbortController().signal,
    say: (line) => void lines.push(line),
    ...overrides,
  };
}

it("builds and fetches once: a second time runs neither go nor mvn", async () => {
  const artifacts = await provideArtifacts(context());
  expect(artifacts.java).toBe(join(folder, "bin", "java"));
  expect(await readFile(artifacts.lakectl, "utf8")).toBe("bin");
  expect(await readFile(artifacts.conductorJar, "utf8")).toBe("jar");
  await goThat("exit 9");
  await script("mvn", "exit 9");
  expect(await provideArtifacts(context())).toEqual(artifacts);
});

it("says what a failed build printed, leaves no half of it under its name, and does it again next time", async () => {
  await goThat("printf half > $out/lakefs; echo no space left on device >&2; exit 1");
  const failed = { code: "BUILD_FAILED", exitCode: 1, message: expect.stringContaining("no space left on device") };
  await expect(provideArtifacts(context())).rejects.toMatchObject(failed);
  expect(await readdir(join(folder, "home"))).not.toContain("lakefs-1.84.0");
  await goThat("printf whole > $out/lakefs; printf whole > $out/lakectl");
  const artifacts = await provideArtifacts(context());
  expect(await readFile(artifacts.lakefs, "utf8")).toBe("whole");
  expect(lines).toContain("an earlier build or download did not finish; doing it again");
  expect(await readdir(join(folder, "home", "unfinished"))).toEqual([]);
});

it("refuses a jar that is not the known one and takes the right one next time", async () => {
  await expect(provideArtifacts(context({ conductorJarSha256: "0" }))).rejects.toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringContaining("SHA-256"),
  });
  expect(await readdir(join(folder, "home"))).not.toContain(JAR);
  await provideArtifacts(context());
});

it("ends a build when the signal comes, and builds again next time", async () => {
  const stop = new AbortController();
  await goThat("printf half > $out/lakefs; sleep 60");
  const building = provideArtifacts(context({ signal: stop.signal }));
  const unfinished = () => readdir(join(folder, "home", "unfinished"), { recursive: true }).catch(() => []);
  await expect.poll(async () => (await unfinished()).some((name) => name.endsWith("/lakefs")), POLL).toBe(true);
  stop.abort(new Error("stopped by SIGINT"));
  await expect(building).rejects.toThrow("stopped by SIGINT");
  await goThat("printf bin > $out/lakefs; printf bin > $out/lakectl");
  await provideArtifacts(context());
});

it("names a missing Maven with the command that installs it", async () => {
  await rm(join(folder, "bin", "mvn"));
  const environment = { PATH: join(folder, "bin") };
  await goThat(`/bin/mkdir -p $out; echo x > $out/lakefs; echo x > $out/lakectl`);
  await expect(provideArtifacts(context({ environment }))).rejects.toMatchObject({
    code: "MAVEN_MISSING",
    exitCode: 2,
    hint: expect.stringContaining("maven"),
  });
});

it("reads the lakeFS version from the module file and refuses a file without one", async () => {
  expect(lakefsVersion(await readFile(join(MODULE_ROOT, "go.mod"), "utf8"))).toBe("1.84.0");
  expect(() => lakefsVersion("module x\n")).toThrow(expect.objectContaining({ code: "MODULE_UNREADABLE" }));
});
