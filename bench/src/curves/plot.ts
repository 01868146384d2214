import { decades, position, type Curve, type Series } from "./curve.ts";

const WIDTH = 640;
const HEIGHT = 360;
const LEFT = 64;
const RIGHT = 16;
const TOP = 16;
const BOTTOM = 48;
const COLOURS = ["#1f6feb", "#2da44e", "#bf8700", "#cf222e", "#8250df"];
const TEXT_CHARS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Text as it may stand in HTML or SVG. */
export function escapeText(text: string): string {
  return text.replaceAll(/[&<>"]/g, (letter) => TEXT_CHARS[letter] ?? letter);
}

/** The plot of a curve as an SVG element: both axes logarithmic, every point with its values on hover. */
export function renderPlot(curve: Curve): string {
  const points = curve.series.flatMap((series) => series.points);
  const xRange = decades(points.map(([x]) => x));
  const yRange = decades(points.map(([, y]) => y));
  const place = (x: number, y: number): readonly [number, number] => [
    LEFT + position(x, xRange) * (WIDTH - LEFT - RIGHT),
    HEIGHT - BOTTOM - position(y, yRange) * (HEIGHT - TOP - BOTTOM),
  ];
  const label = `${curve.title}: ${curve.yLabel} over ${curve.xLabel}`;
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeText(label)}">`,
    ...gridLines(xRange, yRange),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" class="axis">${escapeText(curve.xLabel)}</text>`,
    ...curve.series.map((series, index) => renderSeries(series, COLOURS[index % COLOURS.length] ?? "black", place)),
    "</svg>",
  ].join("\n");
}

/** The names of the lines in their colours. */
export function renderLegend(curve: Curve): string {
  const items = curve.series.map(({ name }, index) => {
    const colour = COLOURS[index % COLOURS.length] ?? "black";
    return `<span><b style="background:${colour}"></b>${escapeText(name)}</span>`;
  });
  return `<p class="legend">${items.join(" ")}</p>`;
}

function gridLines(xRange: readonly [number, number], yRange: readonly [number, number]): readonly string[] {
  const lines: string[] = [];
  const [right, bottom] = [WIDTH - RIGHT, HEIGHT - BOTTOM];
  for (let exponent = xRange[0]; exponent <= xRange[1]; exponent += 1) {
    const x = round(LEFT + ((exponent - xRange[0]) / (xRange[1] - xRange[0])) * (right - LEFT));
    lines.push(`<line x1="${x}" y1="${TOP}" x2="${x}" y2="${bottom}" class="grid"/>`);
    lines.push(`<text x="${x}" y="${bottom + 18}" class="tick">${tick(exponent)}</text>`);
  }
  for (let exponent = yRange[0]; exponent <= yRange[1]; exponent += 1) {
    const y = round(bottom - ((exponent - yRange[0]) / (yRange[1] - yRange[0])) * (bottom - TOP));
    lines.push(`<line x1="${LEFT}" y1="${y}" x2="${right}" y2="${y}" class="grid"/>`);
    lines.push(`<text x="${LEFT - 8}" y="${y + 4}" class="tick left">${tick(exponent)}</text>`);
  }
  return lines;
}

function renderSeries(
  { name, points }: Series,
  colour: string,
  place: (x: number, y: number) => readonly [number, number],
): string {
  const placed = points.map(([x, y]) => ({ at: place(x, y).map(round), title: `${name}: ${x}, ${shortNumber(y)}` }));
  const path = placed.map(({ at }) => at.join(",")).join(" ");
  const dots = placed.map(({ at: [x, y], title }) => {
    return `<circle cx="${x}" cy="${y}" r="4" fill="${colour}"><title>${escapeText(title)}</title></circle>`;
  });
  return [`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`, ...dots].join("\n");
}

/** A number with three digits that matter. */
export function shortNumber(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

function tick(exponent: number): string {
  return exponent < 0 || exponent > 6 ? `1e${exponent}` : (10 ** exponent).toLocaleString("en");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
