/** What the command line asks for. */
export interface Args {
  /** Names of the steps to run, in their order. */
  readonly steps: readonly string[];
  /** Fill docs/rules.md from the sources instead of running steps. */
  readonly writeRules: boolean;
  /** With `writeRules`: planned rows that lack nothing become built. */
  readonly promote: boolean;
  /** Wrap comments that are too wide in these files instead of running steps. */
  readonly wrap: readonly string[];
}

const known = "--only <step>, --skip <step>, --write-rules [--promote], --wrap-comments <file>...";

/** Reads the arguments; returns a text where they cannot be read. `--only` and `--skip` may be repeated. */
export function parseArgs(argv: readonly string[], stepNames: readonly string[]): Args | string {
  const only: string[] = [];
  const skip: string[] = [];
  let writeRules = false;
  let promote = false;
  let wrap: readonly string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const argument = argv[at] ?? "";
    if (argument === "--write-rules") writeRules = true;
    else if (argument === "--promote") promote = true;
    else if (argument === "--wrap-comments") {
      wrap = argv.slice(at + 1);
      if (wrap.length === 0) return "--wrap-comments needs files";
      break;
    } else if (argument === "--only" || argument === "--skip") {
      at += 1;
      const name = argv[at] ?? "";
      if (!stepNames.includes(name)) return `${argument}: no step "${name}"; steps are ${stepNames.join(", ")}`;
      (argument === "--only" ? only : skip).push(name);
    } else return `unknown argument "${argument}"; known: ${known}`;
  }
  if (promote && !writeRules) return "--promote goes with --write-rules";
  const steps = stepNames.filter((name) => (only.length === 0 || only.includes(name)) && !skip.includes(name));
  return { steps, writeRules, promote, wrap };
}
