import type { Machine } from "../machine.ts";
import { machineLine } from "../table.ts";
import type { Curve } from "./curve.ts";
import { escapeText, renderLegend, renderPlot, shortNumber } from "./plot.ts";

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
body { color: #1f2328; background: #fff; }
svg { width: 100%; height: auto; }
.grid { stroke: #d0d7de; }
.tick, .axis { font-size: 12px; fill: #59636e; text-anchor: middle; }
.left { text-anchor: end; }
.legend b { display: inline-block; width: 0.8em; height: 0.8em; border-radius: 50%; margin-right: 0.4em; }
.legend span { margin-right: 1.2em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: 0.1rem 0.8rem; text-align: right; border-bottom: 1px solid #d0d7de; }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117; }
  .tick, .axis { fill: #9198a1; }
  .grid, td, th { stroke: #30363d; border-color: #30363d; }
}`;

/** All curves as one HTML page that needs nothing else: no script, no font, no network. */
export function renderPage(machine: Machine, curves: readonly Curve[]): string {
  const when = machine.measuredAt.slice(0, 10);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Perago: how an attempt grows</title>
<style>${STYLE}
</style>
</head>
<body>
<h1>How an attempt grows</h1>
<p>Measured ${when} by <code>pnpm bench --curves</code> on ${escapeText(machineLine(machine))}.
Both axes are logarithmic; a point says its values when the pointer rests on it.</p>
${curves.map(renderCurve).join("\n")}
</body>
</html>
`;
}

function renderCurve(curve: Curve): string {
  const xs = [...new Set(curve.series.flatMap(({ points }) => points.map(([x]) => x)))].toSorted((a, b) => a - b);
  const head = [curve.xLabel, ...curve.series.map(({ name }) => name)];
  const rows = xs.map((x) => {
    const cells = curve.series.map(({ points }) => points.find(([at]) => at === x)?.[1]);
    return [x.toLocaleString("en"), ...cells.map((y) => (y === undefined ? "-" : shortNumber(y)))];
  });
  const row = (tag: string, cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeText(cell)}</${tag}>`).join("")}</tr>`;
  return `<h2>${escapeText(curve.title)}</h2>
${renderLegend(curve)}
<figure>${renderPlot(curve)}<figcaption>${escapeText(curve.yLabel)}</figcaption></figure>
<table>${row("th", head)}${rows.map((cells) => row("td", cells)).join("")}</table>`;
}
