import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { StackError } from "./errors.ts";
import { withLock } from "./lock.ts";
import { runTool } from "./run-tool.ts";
import { findGo, findJava, findMaven } from "./toolchain.ts";
import type { ToolSearch } from "./toolchain.ts";

/** Conductor's release, from Maven Central. */
export const CONDUCTOR_VERSION = "3.32.1";
/** SHA-256 of conductor-server-3.32.1-boot.jar. */
export const CONDUCTOR_JAR_SHA256 = "f3699a34bb72c35c10469a063392e5de4900bc4568c8a4357a711186d6269d3f";

const BUILD_TIMEOUT_MS = 45 * 60_000;
const DOWNLOAD_TIMEOUT_MS = 30 * 60_000;
const LOCK_TIMEOUT_MS = BUILD_TIMEOUT_MS + DOWNLOAD_TIMEOUT_MS;

/** Everything that the servers are started from; absolute paths. */
export interface Artifacts {
  readonly lakefs: string;
  readonly lakectl: string;
  readonly conductorJar: string;
  readonly java: string;
}

/** What a provisioning step needs. */
export interface ProvisionContext extends ToolSearch {
  /** The folder of the lakeFS Go module files. */
  readonly moduleRoot: string;
  /** What the fetched jar must hash to, in hex. */
  readonly conductorJarSha256: string;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** Where the lakeFS binaries of a version are kept. */
export function lakefsFolder(home: string, version: string): string {
  return join(home, `lakefs-${version}`);
}

/** The lakeFS version that a go.mod text requires. Throws MODULE_UNREADABLE (exit 2). */
export function lakefsVersion(goMod: string): string {
  const match = /^\s*github\.com\/treeverse\/lakefs v([0-9][^\s]*)/m.exec(goMod);
  if (match?.[1] !== undefined) return match[1];
  throw new StackError({
    code: "MODULE_UNREADABLE",
    message: "tools/lakefs/go.mod does not name a version of github.com/treeverse/lakefs",
    hint: "restore the file from git",
    exitCode: 2,
  });
}

/** Where lakectl is, or will be once built. */
export async function lakectlPath(context: Pick<ProvisionContext, "home" | "moduleRoot">): Promise<string> {
  const version = lakefsVersion(await readFile(join(context.moduleRoot, "go.mod"), "utf8"));
  return join(lakefsFolder(context.home, version), "lakectl");
}

/**
 * Builds and fetches what is missing, once: each appears under its name whole or not at all, so whatever was
 * interrupted is simply done again.
 */
export async function provideArtifacts(context: ProvisionContext): Promise<Artifacts> {
  const java = await findJava(context);
  const lakectl = await lakectlPath(context);
  const lakefs = join(lakectl, "..", "lakefs");
  const conductorJar = join(context.home, `conductor-server-${CONDUCTOR_VERSION}-boot.jar`);
  const artifacts = { lakefs, lakectl, conductorJar, java };
  if (await allExist([lakefs, lakectl, conductorJar])) return artifacts;
  const file = join(context.home, "artifacts-lock.db");
  await withLock({ ...context, file, guards: "the server binaries", timeoutMs: LOCK_TIMEOUT_MS }, async () => {
    // Nobody else can be at work here now: what lies in the folder is what an interrupted run left.
    const workRoot = join(context.home, "unfinished");
    if ((await readdir(workRoot).catch(() => [])).length > 0) {
      context.say("an earlier build or download did not finish; doing it again");
      await rm(workRoot, { recursive: true, force: true });
    }
    await mkdir(workRoot, { recursive: true });
    if (!(await allExist([lakefs, lakectl]))) await buildLakefs(context, workRoot);
    if (!(await allExist([conductorJar]))) await fetchConductor(context, { workRoot, conductorJar, java });
  });
  return artifacts;
}

async function buildLakefs(context: ProvisionContext, workRoot: string): Promise<void> {
  const go = await findGo(context);
  const version = lakefsVersion(await readFile(join(context.moduleRoot, "go.mod"), "utf8"));
  context.say(`building lakeFS ${version} (once; about 4 minutes on 2 cores)`);
  const work = join(workRoot, `lakefs-${randomBytes(4).toString("hex")}`);
  await mkdir(work);
  const lakefs = "github.com/treeverse/lakefs";
  // Without the flag the server calls itself "dev", and a client could not check its version.
  const flags = `-s -w -X ${lakefs}/pkg/version.Version=${version}`;
  const result = await runTool({
    file: go,
    args: ["build", "-ldflags", flags, "-o", `${work}/`, `${lakefs}/cmd/lakefs`, `${lakefs}/cmd/lakectl`],
    cwd: context.moduleRoot,
    environment: { ...context.environment, GOWORK: "off" },
    timeoutMs: BUILD_TIMEOUT_MS,
    signal: context.signal,
  });
  if (result.exitCode !== 0) throw failed("BUILD_FAILED", "building lakeFS", result.output);
  const target = lakefsFolder(context.home, version);
  await rm(target, { recursive: true, force: true });
  await rename(work, target);
}

async function fetchConductor(
  context: ProvisionContext,
  { workRoot, conductorJar, java }: { workRoot: string; conductorJar: string; java: string },
): Promise<void> {
  const maven = await findMaven(context);
  context.say(`fetching Conductor ${CONDUCTOR_VERSION} (once; 458 MB)`);
  const artifact = `org.conductoross:conductor-server:${CONDUCTOR_VERSION}:jar:boot`;
  const { JAVA_HOME: javaHome, PATH: path } = context.environment;
  const result = await runTool({
    file: maven,
    args: ["-B", "-ntp", "dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${workRoot}`],
    // Away from any pom.xml of a parent folder.
    cwd: workRoot,
    // Maven runs on any Java: its own choice first, ours only for those who have no other on their PATH.
    environment: { ...context.environment, JAVA_HOME: javaHome, PATH: `${path ?? ""}:${join(java, "..")}` },
    timeoutMs: DOWNLOAD_TIMEOUT_MS,
    signal: context.signal,
  });
  if (result.exitCode !== 0) throw failed("DOWNLOAD_FAILED", "fetching Conductor", result.output);
  const fetched = join(workRoot, `conductor-server-${CONDUCTOR_VERSION}-boot.jar`);
  const sha256 = await fileSha256(fetched);
  if (sha256 !== context.conductorJarSha256) {
    const difference = `the jar's SHA-256 is ${sha256}, not ${context.conductorJarSha256}`;
    throw failed("DOWNLOAD_FAILED", "fetching Conductor", difference);
  }
  await rename(fetched, conductorJar);
}

function failed(code: string, what: string, output: string): StackError {
  const tail = output.trim().split("\n").slice(-20).join("\n");
  return new StackError({
    code,
    message: `${what} failed:\n${tail}`,
    hint: "mend what it names, then `pnpm stack up` again",
    exitCode: 1,
  });
}

async function fileSha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

async function allExist(paths: readonly string[]): Promise<boolean> {
  return Promise.all(paths.map((path) => access(path))).then(
    () => true,
    () => false,
  );
}
