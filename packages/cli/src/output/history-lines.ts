import type { HistoryReport } from "../history/report.ts";
import type { HistoryRow } from "../history/rows.ts";
import type { Verdict } from "../history/verdicts.ts";
import { labelled, oneLine } from "./finding-lines.ts";
import { alignRows, type Output, type Style } from "./style.ts";

const MAX_MESSAGE_LENGTH = 100;
const STYLES: Readonly<Record<HistoryRow["kind"], Style>> = {
  confirm: "ok",
  supersede: "ok",
  foreign: "warning",
  try: "error",
  malformed: "error",
};

/** The history as text: a line a commit, then what an input ref would meet. */
export function historyLines(output: Output, { repository, branch, commits, more, ...report }: HistoryReport): string {
  const cells = alignRows(commits.map((row) => [row.kind, row.id.slice(0, 12), shownTime(row), what(row)]));
  const lines = cells.map(([kind = "", ...rest], index) => {
    const style = STYLES[commits[index]?.kind ?? "foreign"];
    return `${output.paint(style, kind)}  ${rest.join("  ")}\n`;
  });
  const below = more ? [output.paint("faint", `more below; --limit shows them`), "\n"] : [];
  const verdicts = (report.verdicts ?? []).map((verdict) => verdictLines(output, verdict, report.inputRef ?? ""));
  return [
    `${output.paint("name", `${oneLine(repository)}/${oneLine(branch)}`)}\n`,
    ...lines,
    ...below,
    ...verdicts,
  ].join("");
}

function shownTime({ time }: HistoryRow): string {
  return time === null ? "-" : time.slice(0, 19).replace("T", " ");
}

function what({ message, committer, detail, isRace, publication }: HistoryRow): string {
  const text = oneLine(message);
  const said = text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH).toWellFormed()}...` : text;
  const by = publication === undefined ? `${oneLine(committer)}: ${said}` : said;
  return [by, ...(detail === undefined ? [] : [`(${oneLine(detail)})`]), ...(isRace ? ["[lost a race]"] : [])].join(
    " ",
  );
}

function verdictLines(output: Output, verdict: Verdict, inputRef: string): string {
  const { logicalTaskKey, accepted, rule, supersedes, message, hint } = verdict;
  const who = logicalTaskKey === null ? "any other task" : oneLine(logicalTaskKey);
  const from = `input ref ${inputRef.slice(0, 12)}, ${who}`;
  if (!accepted) {
    return labelled(output, "error", `${from}: refused by rule ${rule}`, [
      oneLine(message ?? ""),
      `-> ${oneLine(hint ?? "")}`,
    ]);
  }
  const over = supersedes === undefined ? "" : `, superseding ${supersedes.slice(0, 12)}`;
  return labelled(output, "ok", `${from}: accepted by rule ${rule}${over}`);
}
