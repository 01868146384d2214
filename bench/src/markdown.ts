import { readFile, writeFile } from "node:fs/promises";
import type { RowResult, RowSpec } from "./row.ts";
import type { Results } from "./results-file.ts";
import { machineLine, rowCells } from "./table.ts";

const BEGIN = "<!-- bench: written by pnpm bench -->";
const END = "<!-- /bench -->";

/** The results as Markdown: the machine, one line a row, and each row that is missed with its reason. */
export function renderMarkdown({ machine, rows }: Results, specs: readonly RowSpec[]): string {
  const decimals = new Map(specs.map(({ id, decimals: count = 2 }) => [id, count]));
  const head = ["row", "work", "against", "target", "figure", "ratio", "ours", "other", "unit", "runs", ""];
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const lines = rows.map((row) => {
    const [id = "", work = "", ...rest] = rowCells(row, decimals.get(row.id) ?? 2);
    return line([id, work, row.against, ...rest].map((cell) => cell.replaceAll("|", "\\|")));
  });
  return [
    `${machineLine(machine)}; ${machine.measuredAt.slice(0, 10)}.`,
    "",
    line(head),
    line(head.map(() => "---")),
    ...lines,
    "",
    ...notes(rows),
  ].join("\n");
}

/** The document with the results between its two marks. @throws {Error} where it has no marks. */
export function withSection(document: string, section: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the document has no place for the table: ${BEGIN} ... ${END}`);
  return `${document.slice(0, begin + BEGIN.length)}\n${section}\n${document.slice(end)}`;
}

/** Writes the results into a document. */
export async function writeSection(file: string, results: Results, specs: readonly RowSpec[]): Promise<void> {
  const document = await readFile(file, "utf8");
  await writeFile(file, withSection(document, renderMarkdown(results, specs)));
}

function notes(rows: readonly RowResult[]): readonly string[] {
  return rows.flatMap(({ id, met, reason }) => {
    if (met && reason === undefined) return [];
    return [`- **${id}**${met ? "" : " missed"}: ${reason ?? "no reason is known"}`];
  });
}
