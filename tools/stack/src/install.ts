import { StackError } from "./errors.ts";
import { shellLine } from "./install-commands.ts";
import type { Command } from "./install-commands.ts";
import { installCommandsHere } from "./missing-tool.ts";
import { runTool } from "./run-tool.ts";
import { findGo, findJava, findMaven } from "./toolchain.ts";
import type { ToolSearch } from "./toolchain.ts";

const INSTALL_TIMEOUT_MS = 15 * 60_000;

interface InstallContext {
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/**
 * Installs what is missing of Java, Go and Maven by this system's ordinary clients. Throws INSTALL_FAILED (exit 2), or
 * what `up` would say where the system has no known command.
 */
export async function installMissing(search: ToolSearch, context: InstallContext): Promise<void> {
  const finders = { java: findJava, go: findGo, mvn: findMaven };
  for (const tool of ["java", "go", "mvn"] as const) {
    const path = await finders[tool](search).catch(() => undefined);
    if (path !== undefined) {
      context.say(`${tool} is there: ${path}`);
      continue;
    }
    for (const command of await installCommandsHere(tool, search.home)) await runInstall(command, context);
    context.say(`${tool} is installed: ${await finders[tool](search)}`);
  }
}

async function runInstall(command: Command, { signal, say }: InstallContext): Promise<void> {
  const [file = "", ...args] = command;
  say(shellLine([command]));
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const result = await runTool({ file, args, environment, timeoutMs: INSTALL_TIMEOUT_MS, signal });
  if (result.exitCode === 0) return;
  throw new StackError({
    code: "INSTALL_FAILED",
    message: `${shellLine([command])} failed:\n${result.output.trim().split("\n").slice(-10).join("\n")}`,
    hint: "install it by hand, then try again",
    exitCode: 2,
  });
}
