import type { Failure } from "../../failure.ts";
import { safeText } from "../../telemetry/line.ts";

/**
 * `reasonForIncompletion`: code and thing first, then the mend; cut at a letter border (rule R3). A long message gives
 * way to the mend, of which the reader has no other copy at hand; a mend that would take more than half is cut with it.
 * One line, whatever a body or a server put into the words: pages and terminals show it (fault J5).
 */
export function failureReason(failure: Failure, maxLength: number): string {
  const hint = failure.hint === "" ? "" : ` | ${oneLine(failure.hint, maxLength)}`;
  const what = `${failure.code}: ${oneLine(failure.message, maxLength)}`;
  return hint.length <= maxLength / 2
    ? `${cut(what, maxLength - hint.length)}${hint}`
    : cut(`${what}${hint}`, maxLength);
}

const ellipsis = "...";

/** Cut before it is looked at: a message may be megabytes. What follows the cut would not be shown. */
function oneLine(text: string, maxLength: number): string {
  const shown = text.slice(0, maxLength + 1).toWellFormed();
  return safeText(shown.replace(/[ \t\r\n]*[\r\n][ \t\r\n]*/g, " "));
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept: string[] = [];
  let length = 0;
  for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(
    text.slice(0, maxLength + 1),
  )) {
    if (length + segment.length > maxLength - ellipsis.length) break;
    kept.push(segment);
    length += segment.length;
  }
  return `${kept.join("")}${ellipsis}`;
}
