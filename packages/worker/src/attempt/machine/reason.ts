import type { Failure } from "../../failure.ts";

/**
 * `reasonForIncompletion`: code and thing first, then the mend; cut at a letter border (rule R3). A long message gives
 * way to the mend, of which the reader has no other copy at hand; a mend that would take more than half is cut with it.
 */
export function failureReason(failure: Failure, maxLength: number): string {
  const hint = failure.hint === "" ? "" : ` | ${failure.hint}`;
  const what = `${failure.code}: ${failure.message}`;
  return hint.length <= maxLength / 2
    ? `${cut(what, maxLength - hint.length)}${hint}`
    : cut(`${what}${hint}`, maxLength);
}

const ellipsis = "...";

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
