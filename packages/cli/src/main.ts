import { readFileSync } from "node:fs";
import { hideSecrets } from "./clean-environment.ts";
import { CommandError } from "./command-error.ts";
import type { CommandContext } from "./context.ts";
import { errorText } from "./output/error-text.ts";
import { streamOutput } from "./output/style.ts";
import type { Request } from "./program.ts";
import { signalExitCode, type Signals, type StopSignal } from "./signals.ts";

// Entry of the command: the one place of this package with signal handlers, exits, and the process' environment.
// The commands are loaded when asked for: what they lean on takes longer to load than usage and help to show.
// A task module's code, its body or its import alone, may look at the environment of the process that started it. The
// process is replaced before anything else is loaded, since all of it would have to be loaded again.
const environment = hideSecrets({ environment: process.env, replace });
const { parseArguments } = await import("./program.ts");
const [stdout, stderr] = [streamOutput(process.stdout), streamOutput(process.stderr)];
const request = parseArguments(process.argv.slice(2), readVersion(), { stdout, stderr });
// An exit, not a death: what the worker has begun is told of it and ends too.
const signals = listenToSignals();
const exitCode = await run(request, {
  stdout,
  stderr,
  environment,
  folder: process.cwd(),
  platform: process.platform,
});
// After a signal something of a forced host may still be open; the other commands end by themselves (case P11).
if (request.command === "start" || request.command === "dev") await endNow(exitCode);
else process.exitCode = exitCode;

async function run(asked: Request, context: CommandContext): Promise<number> {
  try {
    switch (asked.command) {
      case "done":
        return asked.exitCode;
      case "check":
        return await (await import("./commands/check.ts")).check(context, asked);
      case "extract":
        return await (await import("./commands/extract.ts")).extract(context, asked);
      case "register":
        return await (await import("./commands/register.ts")).register(context, asked);
      case "start":
        return await (await import("./commands/start.ts")).start(context, asked, signals);
      case "run":
        return await (await import("./commands/run.ts")).run(context, asked, signals);
      case "dev":
        return await (await import("./commands/dev.ts")).dev(context, asked, signals);
      case "sweep":
        return await (await import("./commands/sweep.ts")).sweep(context, asked, signals);
      case "fence install":
        return await (await import("./commands/fence-install.ts")).fenceInstall(context, asked);
      case "fence verify":
        return await (await import("./commands/fence-verify.ts")).fenceVerify(context, asked);
      case "history":
        return await (await import("./commands/history.ts")).history(context, asked);
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    context.stderr.write(errorText(context.stderr, error, "json" in asked && asked.json));
    return error.exitCode;
  }
}

/** The same command, arguments and process id, with another environment. */
function replace(environment: Record<string, string>): void {
  process.execve?.(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], environment);
}

function listenToSignals(): Signals {
  let listener = (signal: StopSignal): void => process.exit(signalExitCode(signal));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => listener(signal));
  return { handle: (next) => (listener = next) };
}

/** Pipes are asynchronous: what was written is waited for. */
async function endNow(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.destroyed) await new Promise((resolve) => stream.write("", resolve));
  }
  return process.exit(code);
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown";
}
