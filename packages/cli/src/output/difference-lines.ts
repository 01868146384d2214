import type { Difference } from "../differences.ts";
import { oneLine } from "./finding-lines.ts";
import type { Output } from "./style.ts";

const MAX_SHOWN = 50;
const MAX_VALUE_LENGTH = 200;

/** `field: old -> new`, one a line, at most 50; long values are cut. JSON output has them whole. */
export function differenceLines(output: Output, differences: readonly Difference[]): string[] {
  const lines = differences.slice(0, MAX_SHOWN).map(({ field, old, new: next }) => {
    const [before, after] = [output.paint("error", shown(old)), output.paint("ok", shown(next))];
    return `${oneLine(field)}: ${before} -> ${after}`;
  });
  const more = differences.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

function shown(value: unknown): string {
  if (value === undefined) return "(none)";
  const text = oneLine(JSON.stringify(value));
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH).toWellFormed()}...` : text;
}
