import { describe, expect, it } from "vitest";
import { decades, position } from "./curve.ts";
import { renderPage } from "./page.ts";
import { renderPlot, shortNumber } from "./plot.ts";
import { machine as sound } from "../testing/machine.ts";

const machine = { ...sound, cpu: "CPU <1>" };
const curve = {
  title: "a & b",
  xLabel: "files",
  yLabel: "ms",
  series: [
    { name: "<cold>", points: [[10, 5] as const, [1000, 500] as const] },
    { name: "warm", points: [[10, 4] as const] },
  ],
};

describe("a logarithmic axis", () => {
  it("holds all values in whole decades", () => {
    expect(decades([10, 5000])).toEqual([1, 4]);
    expect(decades([0.02, 3])).toEqual([-2, 1]);
  });

  it("has at least one decade", () => {
    expect(decades([100])).toEqual([2, 3]);
    expect(decades([])).toEqual([0, 1]);
  });

  it("puts equal factors at equal distances", () => {
    expect(position(10, [0, 2])).toBeCloseTo(0.5);
    expect(position(1, [0, 2])).toBe(0);
    expect(position(100, [0, 2])).toBe(1);
  });
});

describe("a plot", () => {
  it("shows each point with its values", () => {
    const svg = renderPlot(curve);
    expect(svg.match(/<circle /g)).toHaveLength(3);
    expect(svg).toContain("<title>&lt;cold&gt;: 1000, 500</title>");
  });

  it("keeps all points inside", () => {
    for (const [, x = "", y = ""] of renderPlot(curve).matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)) {
      expect(Number(x)).toBeGreaterThanOrEqual(64);
      expect(Number(x)).toBeLessThanOrEqual(624);
      expect(Number(y)).toBeGreaterThanOrEqual(16);
      expect(Number(y)).toBeLessThanOrEqual(312);
    }
  });

  it("writes numbers with the digits that matter", () => {
    expect([0.01234, 2.7654, 123.4].map(shortNumber)).toEqual(["0.0123", "2.77", "123"]);
  });
});

describe("the page of curves", () => {
  const page = renderPage(machine, [curve]);

  it("needs nothing from anywhere: no address, no script", () => {
    expect(page).not.toMatch(/https?:|src=|href=|<script|@import|url\(/);
  });

  it("escapes what it is given, and has the values as a table, too", () => {
    expect(page).toContain("CPU &lt;1&gt; x2");
    expect(page).toContain("<h2>a &amp; b</h2>");
    expect(page).toContain("<tr><td>1,000</td><td>500</td><td>-</td></tr>");
  });
});
