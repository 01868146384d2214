import type { HistoryReport } from "./report.ts";
import { STYLE } from "./page-style.ts";
import type { HistoryRow, Publication } from "./rows.ts";
import type { Verdict } from "./verdicts.ts";

const MAX_TEXT_LENGTH = 300;

/** One self-contained page: no script, no network, everything that came from elsewhere escaped. */
export function renderPage(report: HistoryReport): string {
  const { repository, branch, head, commits, inputRef, verdicts, more } = report;
  const target = escape(`${repository}/${branch}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Perago: history of ${target}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>History of ${target}</h1>
<p>Along first parents, newest first, as the publish fence reads it. The head is <code>${escape(head)}</code>.</p>
${verdicts === undefined ? "" : verdictSection(inputRef ?? "", verdicts)}
<h2>${commits.length} commits${more ? ", and more below" : ""}</h2>
<div class="scroll">
<table>
<thead><tr><th>kind</th><th>commit</th><th>time</th><th>by</th><th>what</th></tr></thead>
<tbody>
${commits.map(tableRow).join("\n")}
</tbody>
</table>
</div>
</main>
</body>
</html>
`;
}

function verdictSection(inputRef: string, verdicts: readonly Verdict[]): string {
  return `<h2>An input ref <code>${escape(inputRef)}</code> now</h2>\n${verdicts.map(verdictBox).join("\n")}`;
}

function verdictBox(verdict: Verdict): string {
  const { logicalTaskKey, accepted, rule, supersedes, message, hint } = verdict;
  const who = logicalTaskKey === null ? "any other task" : `<code>${shown(logicalTaskKey)}</code>`;
  if (!accepted) {
    const why = `${shown(message ?? "")}<br><small>${shown(hint ?? "")}</small>`;
    return `<div class="verdict refused"><b>refused</b> (rule ${rule}): ${who}<br>${why}</div>`;
  }
  const over = supersedes === undefined ? "" : `<br><small>supersedes <code>${escape(supersedes)}</code></small>`;
  return `<div class="verdict"><b>accepted</b> (rule ${rule}): ${who}${over}</div>`;
}

function tableRow(row: HistoryRow): string {
  const { id, kind, time, committer, message, detail, isRace, publication } = row;
  const race = isRace ? ` <b class="race">lost a race</b>` : "";
  const about = [
    ...(publication === undefined ? [] : publicationParts(publication)),
    ...(detail === undefined ? [] : [detail]),
  ];
  const under = about.length === 0 ? "" : `<br><small>${shown(about.join("; "))}</small>`;
  const cells = [
    `<td class="kind ${kind}">${mark(kind)}${kind}</td>`,
    `<td class="id"><code title="${escape(id)}">${escape(id.slice(0, 12))}</code></td>`,
    `<td class="time">${time === null ? "" : escape(time.slice(0, 19).replace("T", " "))}</td>`,
    `<td>${shown(committer)}</td>`,
    `<td class="what">${shown(message)}${race}${under}</td>`,
  ];
  return `<tr>${cells.join("")}</tr>`;
}

function publicationParts({ task, retryCount, workflowInstanceId, prefix }: Publication): readonly string[] {
  const attempt = `${task ?? "?"}, attempt ${retryCount ?? "?"}`;
  return [attempt, `workflow ${workflowInstanceId ?? "?"}`, `prefix ${prefix === "" ? "/" : prefix}`];
}

/** Own publications are round, what is somebody else's is square, so that colour is not all. */
function mark(kind: HistoryRow["kind"]): string {
  const isOwn = kind === "confirm" || kind === "supersede";
  const shape = isOwn ? `<circle cx="5" cy="5" r="5"/>` : `<rect width="10" height="10"/>`;
  return `<svg width="10" height="10" viewBox="0 0 10 10" class="${kind}" aria-hidden="true">${shape}</svg>`;
}

/** Other people's text: one line, no control or direction characters, cut. */
function shown(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return escape(line.length > MAX_TEXT_LENGTH ? `${line.slice(0, MAX_TEXT_LENGTH).toWellFormed()}...` : line);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text that stands for itself in HTML, between tags and in quoted attributes. */
function escape(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);
}
