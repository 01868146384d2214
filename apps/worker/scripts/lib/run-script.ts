import { ScriptError, UsageError } from "./usage-error.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_SERVER = 3;

/**
 * Runs a script's body and sets the exit code: 0 done, 1 it did not succeed, 2 usage or settings, 3 a server cannot be
 * reached or refuses. One line on stderr says why.
 */
export async function runScript(body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    process.exitCode = exitCodeFor(error);
    process.stderr.write(`${error instanceof Error ? describe(error) : String(error)}\n`);
  }
}

function exitCodeFor(error: unknown): number {
  if (error instanceof ScriptError) return EXIT_FAILED;
  // parseArgs marks its own errors with these codes.
  const isArgs = error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS_");
  return error instanceof UsageError || isArgs ? EXIT_USAGE : EXIT_SERVER;
}

function describe(error: Error): string {
  const cause = error.cause instanceof Error && error.cause.message !== "" ? `: ${error.cause.message}` : "";
  return `${error.message}${cause}`;
}
