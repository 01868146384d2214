import { parseArgs } from "node:util";
import { StackError, messageOf } from "./errors.ts";

/** The variables that the command reads; anything with string values will do in a test. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** lakeFS' port where nothing else is asked for. */
export const DEFAULT_LAKEFS_PORT = 8000;
/** Conductor's port where nothing else is asked for. */
export const DEFAULT_CONDUCTOR_PORT = 8080;

/** A parsed command line. A port is undefined where neither option nor environment names it. */
export type StackCommand =
  | { readonly verb: "help" }
  | { readonly verb: "install" }
  | { readonly verb: "down" | "status" | "env"; readonly name: string }
  | UpCommand;

/** `stack up`: ports that were asked for, and whether to wipe the data first. */
export interface UpCommand {
  readonly verb: "up";
  readonly name: string;
  readonly lakefsPort: number | undefined;
  readonly conductorPort: number | undefined;
  readonly freePorts: boolean;
  readonly fresh: boolean;
}

export const USAGE = `usage: pnpm stack <command> [options]

  up      build or fetch what is missing, start lakeFS and Conductor, wait until both are healthy
  down    stop both (their data stays)
  status  say how both are (exit 0 healthy, 3 not)
  install install what is missing of Go, Java and Maven, with this system's own package clients
  env     print the NAME=value lines that clients need (use: pnpm --silent stack env)

  --name NAME          an instance of its own, beside others (PERAGO_STACK_NAME, "default")
  --lakefs-port N      (PERAGO_STACK_LAKEFS_PORT, ${DEFAULT_LAKEFS_PORT})
  --conductor-port N   (PERAGO_STACK_CONDUCTOR_PORT, ${DEFAULT_CONDUCTOR_PORT})
  --free-ports         take ports that are free
  --fresh              wipe the instance's data first

Binaries, data and logs are in PERAGO_STACK_HOME ($XDG_CACHE_HOME/perago, ~/.cache/perago).`;

const VERBS = ["up", "down", "status", "env", "install", "help"] as const;
const NAME_RULE = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Parses the arguments after `stack`. Throws StackError USAGE (exit 2). */
export function parseCommand(argv: readonly string[], environment: Environment): StackCommand {
  const { values, positionals } = split(argv);
  const verb = values.help === true ? "help" : VERBS.find((known) => known === positionals[0]);
  if (verb === undefined) {
    throw usage(positionals[0] === undefined ? "stack needs a command" : `stack knows no command "${positionals[0]}"`);
  }
  if (positionals.length > 1) throw usage(`stack ${verb} takes no argument "${positionals[1]}"`);
  if (verb === "help" || verb === "install") return { verb };
  const name = values.name ?? set(environment["PERAGO_STACK_NAME"]) ?? "default";
  if (!NAME_RULE.test(name)) {
    throw usage(`instance name "${name}" is not allowed: up to 32 of a-z, 0-9 and -, not starting with -`);
  }
  if (verb !== "up") return { verb, name };
  const lakefsPort = port("--lakefs-port", values["lakefs-port"], "PERAGO_STACK_LAKEFS_PORT", environment);
  const conductorPort = port("--conductor-port", values["conductor-port"], "PERAGO_STACK_CONDUCTOR_PORT", environment);
  if (lakefsPort !== undefined && lakefsPort === conductorPort) {
    throw usage(`lakeFS and Conductor cannot both listen on port ${lakefsPort}`);
  }
  return {
    verb,
    name,
    lakefsPort,
    conductorPort,
    freePorts: values["free-ports"] === true,
    fresh: values.fresh === true,
  };
}

function split(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        name: { type: "string" },
        "lakefs-port": { type: "string" },
        "conductor-port": { type: "string" },
        "free-ports": { type: "boolean" },
        fresh: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw usage(messageOf(error));
  }
}

function port(option: string, given: string | undefined, variable: string, environment: Environment) {
  const fromEnvironment = set(environment[variable]);
  const text = given ?? fromEnvironment;
  if (text === undefined) return undefined;
  const value = /^[0-9]{1,5}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= 65_535) return value;
  throw usage(`${given === undefined ? variable : option} is "${text}", not a port from 1 to 65535`);
}

/** An empty variable counts as unset. */
function set(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function usage(message: string): StackError {
  return new StackError({ code: "USAGE", message, hint: "`pnpm stack help` lists commands and options", exitCode: 2 });
}
