import { parseArgs } from "node:util";
import { BREAKAGES } from "./host/broken.ts";

export const USAGE = `pnpm chaos [options]: hosts on the real servers, ended, stalled and cut off at protocol steps

  --attempts N   no workflow is started after N executions have begun (default 100)
  --minutes M    nor after M minutes (default 60)
  --seed S       repeats the workflows and faults of an earlier run, as far as real processes do
  --fence F      hard (default) or soft
  --hosts N      hosts, each a process with a workspace root of its own (default 3)
  --slots N      slots of each (default 2)
  --width N      workflows at a time (default 7)
  --quiet N      runs that nobody disturbs, at the end (default 12)
  --break NAME   hosts that break a rule on purpose: ${BREAKAGES.join(", ")}
  --name NAME    the instance of the servers, wiped first (default chaos)
  --keep FOLDER  keeps the logs, and writes what was audited to FOLDER/history.json
  --verbose      says what goes on`;

/** The parsed command line. */
export interface Arguments {
  readonly attempts: number;
  readonly minutes: number;
  /** Undefined: one that is drawn. */
  readonly seed: number | undefined;
  readonly fence: "hard" | "soft";
  readonly hosts: number;
  readonly slots: number;
  readonly width: number;
  readonly quiet: number;
  readonly breakage: string | undefined;
  readonly keep: string | undefined;
  readonly stackName: string;
  readonly verbose: boolean;
}

/** Parses the arguments; undefined where help is asked for. Throws with a word that says what is wrong. */
export function parseArguments(argv: readonly string[]): Arguments | undefined {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      attempts: text,
      minutes: text,
      seed: text,
      fence: text,
      hosts: text,
      slots: text,
      width: text,
      quiet: text,
      break: text,
      keep: text,
      name: text,
      verbose: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true) return undefined;
  const { fence = "hard", break: breakage } = values;
  if (fence !== "hard" && fence !== "soft") throw new Error(`--fence is "${fence}", not hard or soft`);
  if (breakage !== undefined && !BREAKAGES.some((known) => known === breakage))
    throw new Error(`--break is "${breakage}", not one of ${BREAKAGES.join(", ")}`);
  return {
    attempts: whole("attempts", values.attempts, 100),
    minutes: whole("minutes", values.minutes, 60),
    seed: values.seed === undefined ? undefined : whole("seed", values.seed, 0),
    fence,
    hosts: whole("hosts", values.hosts, 3),
    slots: whole("slots", values.slots, 2),
    width: whole("width", values.width, 7),
    quiet: whole("quiet", values.quiet, 12),
    breakage,
    keep: values.keep,
    stackName: values.name ?? "chaos",
    verbose: values.verbose === true,
  };
}

function whole(name: string, given: string | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new Error(`--${name} is "${given}", not a whole number`);
}
