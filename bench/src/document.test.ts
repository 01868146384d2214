import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderMarkdown, withSection } from "./markdown.ts";
import { measurements } from "./measurements.ts";
import { judge, type RowSpec } from "./row.ts";
import { mergeRows, readResults } from "./results-file.ts";

const root = join(import.meta.dirname, "../..");
const specs = measurements.flatMap(({ rows }) => rows);

describe("docs/performance.md", () => {
  it("shows what bench/results.json holds, row by row", async () => {
    const results = await readResults(join(root, "bench/results.json"));
    if (results === undefined) throw new Error("bench/results.json is not there: pnpm bench");
    const document = await readFile(join(root, "docs/performance.md"), "utf8");
    expect(withSection(document, renderMarkdown(results, specs))).toBe(document);
  });

  it("names the reason of every row that is missed", async () => {
    const results = await readResults(join(root, "bench/results.json"));
    const silent = results?.rows.filter(({ met, reason }) => !met && reason === undefined).map(({ id }) => id);
    expect(silent).toEqual([]);
  });

  it("has every row of the table", async () => {
    const results = await readResults(join(root, "bench/results.json"));
    expect(results?.rows.map(({ id }) => id)).toEqual(specs.map(({ id }) => id));
  });
});

describe("rows that are measured again", () => {
  const spec = (id: string): RowSpec => {
    return { id, work: id, against: "-", unit: "ms", bound: { figure: "ours", relation: "<=", value: 1 } };
  };
  const row = (id: string, value: number) => judge(spec(id), { ours: [value], other: [] });

  it("take the places of the older ones, and the others stay", () => {
    const merged = mergeRows([row("B1", 1), row("B2", 2)], [row("B1", 5), row("B3", 3)], ["B3", "B2", "B1"]);
    expect(merged.map(({ id, ours }) => [id, ours])).toEqual([
      ["B3", 3],
      ["B2", 2],
      ["B1", 5],
    ]);
  });

  it("are not put into a document that has no place for them", () => {
    expect(() => withSection("# no marks", "table")).toThrow(/no place for the table/);
  });
});
