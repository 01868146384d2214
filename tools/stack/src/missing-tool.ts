import { readFile } from "node:fs/promises";
import { StackError } from "./errors.ts";
import { installCommands, shellLine } from "./install-commands.ts";
import type { Command, ToolName } from "./install-commands.ts";
import { runTool } from "./run-tool.ts";

const PIP_TIMEOUT_MS = 30_000;

/** The commands that install the tool on the system that we run on. */
export async function installCommandsHere(tool: ToolName, home: string): Promise<readonly Command[]> {
  const osRelease = await readFile("/etc/os-release", "utf8").catch(() => "");
  const pip = await runTool({ file: "python3", args: ["-m", "pip", "--version"], timeoutMs: PIP_TIMEOUT_MS });
  return installCommands({ tool, platform: process.platform, osRelease, home, hasPip: pip.exitCode === 0 });
}

/** What is missing, what was found instead, and how to install it. */
export interface MissingTool {
  readonly tool: ToolName;
  readonly code: string;
  readonly need: string;
  /** What was found and would not do, in words. */
  readonly seen: readonly string[];
  readonly home: string;
}

/** The error for a missing tool (exit 2); its hint holds the commands that install it here. */
export async function missingTool({ tool, code, need, seen, home }: MissingTool): Promise<StackError> {
  const commands = shellLine(await installCommandsHere(tool, home));
  const hint =
    commands === ""
      ? "install it with your system's package manager"
      : `install it with: ${commands}   (\`pnpm stack install\` runs that for you)`;
  const found = seen.length === 0 ? "none was found" : seen.join(", ");
  return new StackError({ code, message: `${need}; ${found}`, hint, exitCode: 2 });
}
