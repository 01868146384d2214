import { short, type Refusal, type Row } from "./history.ts";
import { STYLE } from "./page-style.ts";
import type { Act, Story } from "./story.ts";

/** What the page shows. */
export interface PageInput {
  readonly story: Story;
  readonly rows: readonly Row[];
  readonly elapsedMs: number;
  readonly madeAt: Date;
}

const ROW_HEIGHT = 64;
const GRAPH_WIDTH = 40;
const COLUMN = 16;
const OFF_COLUMN = 30;

/** One self-contained page: no script, no network, everything that came from elsewhere escaped. */
export function renderPage({ story, rows, elapsedMs, madeAt }: PageInput): string {
  const branch = escape(`${story.repository}/${story.branch}`);
  const time = `<time datetime="${escape(madeAt.toISOString())}">${escape(shownTime(madeAt))}</time>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Perago: one run of the demo</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>One run, as the target saw it</h1>
<p class="lead">Four workflows of <code>songs.publish</code> ran on <code>${branch}</code> of embedded servers,
in ${seconds(elapsedMs)}, on ${time}.</p>
<h2>What happened</h2>
<ol class="acts">
${story.acts.map(actItem).join("\n")}
</ol>
<h2>History of ${branch}</h2>
<p class="legend">Along first parents, newest first. A commit of Perago says which task and attempt made it,
and from what.</p>
<div class="history">
${graph(rows)}
<ul style="--row: ${ROW_HEIGHT}px">
${rows.map(rowItem).join("\n")}
</ul>
</div>
<h2>What refused an attempt</h2>
${story.refusals.map(refusal).join("\n")}
<p class="foot">The fence of this version is a soft one: the client reads the target and then merges. A foreign commit
in the gap between the two is detected afterwards and reported, not prevented.</p>
</main>
</body>
</html>
`;
}

function actItem({ title, text, elapsedMs }: Act): string {
  const time = `<span class="time">${seconds(elapsedMs)}</span>`;
  return `<li><strong>${escape(title)}</strong> ${time}<p>${escape(text)}.</p></li>`;
}

function refusal({ task, reason }: Refusal): string {
  return `<p><code>${escape(task)}</code></p><blockquote>${escape(reason)}</blockquote>`;
}

function seconds(elapsedMs: number): string {
  return `${(elapsedMs / 1000).toFixed(1)} s`;
}

function shownTime(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** The commits as dots on a line; a refused attempt as a branch that ends. */
function graph(rows: readonly Row[]): string {
  const height = rows.length * ROW_HEIGHT;
  const y = (index: number): number => index * ROW_HEIGHT + ROW_HEIGHT / 2;
  const first = rows.findIndex(({ kind }) => kind !== "refused");
  const line = `<path class="line" d="M${COLUMN} ${y(Math.max(first, 0))}V${y(rows.length - 1)}"/>`;
  const marks = rows.map((row, index) => mark(row, y(index)));
  const box = `width="${GRAPH_WIDTH}" height="${height}" viewBox="0 0 ${GRAPH_WIDTH} ${height}"`;
  const label = `aria-label="${rows.length} lines of history"`;
  return `<svg role="img" ${label} ${box}>${line}${marks.join("")}</svg>`;
}

function mark({ kind }: Row, y: number): string {
  if (kind === "refused") {
    const half = y + ROW_HEIGHT / 2;
    const curve = `M${COLUMN} ${y + ROW_HEIGHT}C${COLUMN} ${half} ${OFF_COLUMN} ${half} ${OFF_COLUMN} ${y + 6}`;
    return `<path class="off" d="${curve}"/><path class="cross" d="M${OFF_COLUMN - 5} ${y - 5}l10 10m0 -10l-10 10"/>`;
  }
  if (kind === "foreign") return `<path class="foreign" d="M${COLUMN} ${y - 8}l8 8l-8 8l-8 -8z"/>`;
  return `<circle class="${kind}" cx="${COLUMN}" cy="${y}" r="7"/>`;
}

function rowItem(row: Row): string {
  switch (row.kind) {
    case "start":
    case "foreign":
      return item(row.kind, row.id, escape(row.message), row.kind === "foreign" ? "not of this logical task" : "");
    case "confirm":
      return item(row.kind, row.id, attempt(row), ids(row));
    case "supersede":
      return item(row.kind, row.id, `${attempt(row)}, over <code>${escape(short(row.over))}</code>`, ids(row));
    case "refused":
      return item(
        row.kind,
        undefined,
        attempt(row),
        `${ids(row)} &middot; ${escape(row.reason.split(" | ")[0] ?? "")}`,
      );
  }
}

function item(kind: Row["kind"], id: string | undefined, text: string, under: string): string {
  const commit = id === undefined ? "" : `<code title="${escape(id)}">${escape(short(id))}</code> `;
  return `<li class="${kind}"><span>${commit}<b>${kind}</b> ${text}</span><small>${under}</small></li>`;
}

function attempt({ task, retryCount }: { task: string; retryCount: number }): string {
  return `${escape(task)}, attempt ${retryCount}`;
}

function ids({ workflowId, taskId }: { workflowId: string; taskId: string }): string {
  return `workflow <code>${escape(short(workflowId))}</code> task <code>${escape(short(taskId))}</code>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text that stands for itself in HTML, between tags and in quoted attributes. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? letter);
}
