import type { Machine } from "./machine.ts";
import type { RowResult, RowSpec } from "./row.ts";

/** The table as people read it: the machine, one line a row, and what is missed with the reason. */
export function renderTable(machine: Machine, results: readonly RowResult[], specs: readonly RowSpec[]): string {
  const decimals = new Map(specs.map(({ id, decimals: count = 2 }) => [id, count]));
  const head = ["id", "work", "target", "figure", "ratio", "ours", "other", "unit", "runs", ""];
  const lines = results.map((row) => rowCells(row, decimals.get(row.id) ?? 2));
  const widths = head.map((text, column) => Math.max(text.length, ...lines.map((line) => line[column]?.length ?? 0)));
  const render = (line: readonly string[]): string =>
    line
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  const missed = results.flatMap(({ id, met, reason }) =>
    met && reason === undefined ? [] : [`${id}${met ? "" : " missed"}: ${reason ?? "no reason is known"}`],
  );
  return [machineLine(machine), "", render(head), ...lines.map(render), "", ...missed].join("\n").trimEnd();
}

/** One line about the machine. */
export function machineLine({ cpu, cpuCount, memoryBytes, system, node, disk, lakefs }: Machine): string {
  const memory = `${(memoryBytes / 1024 ** 3).toFixed(0)} GiB`;
  return `${cpu} x${cpuCount}, ${memory}, ${system}, temporary files on ${disk}; Node ${node}, lakeFS ${lakefs}`;
}

/** The cells of one line, in the order of the head. */
export function rowCells(row: RowResult, decimals: number): string[] {
  const number = (value: number | null, digits: number): string => (value === null ? "-" : value.toFixed(digits));
  return [
    row.id,
    row.work,
    `${row.relation} ${row.target}`,
    number(row.figure, row.compares === "ratio" ? 2 : decimals),
    number(row.ratio, 2),
    number(row.ours, decimals),
    number(row.other, decimals),
    row.unit,
    String(row.runs),
    row.met ? "ok" : "MISSED",
  ];
}
