import { parseArgs } from "node:util";

/** What is asked of the bench. */
export interface BenchArguments {
  /** Ids of rows, such as `B1`; all rows where empty. */
  readonly rows: readonly string[];
  readonly quick: boolean;
  readonly json: boolean;
  /** Draws the growth curves in place of measuring rows. */
  readonly curves: boolean;
  /** Shows where an attempt's time goes in place of measuring rows. */
  readonly profile: boolean;
  /** Puts the rows into `results.json` and `docs/performance.md`; a whole run does so by itself. */
  readonly keep: boolean;
  /** Keeps the results in the history under this label. */
  readonly label: string | undefined;
}

/** How the bench is called. */
export const USAGE = `usage: pnpm bench [--row ID]... [--quick] [--json] [--keep] [--label TEXT]
       pnpm bench --curves [--quick]
       pnpm bench --profile`;

/** Parses the arguments; throws a TypeError on what is not known. */
export function parseArguments(argv: readonly string[]): BenchArguments {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      row: { type: "string", multiple: true, default: [] },
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
      curves: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      label: { type: "string" },
    },
  });
  const { row: rows, quick, json, keep, curves, profile, label } = values;
  return { rows, quick, json, keep, curves, profile, label };
}
