/**
 * Where a rule, case or fault stands: `built` is claimed and checked; `planned` is being worked on; `later: issue 5`
 * comes with that issue and may not be claimed by a test; `, rest: issue 5` behind built or planned names the issue
 * that
 * brings what is missing; `not: why` is a rule that is not built, or a fault that nothing shows.
 */
export type RowState = "built" | "planned" | "later" | "not";

/** What a table is about. */
export type Word = "rule" | "case" | "fault";

/** The page that holds each table. */
export const pageOf: Readonly<Record<Word, string>> = {
  rule: "docs/rules.md",
  case: "docs/rules.md",
  fault: "docs/reliability.md",
};

/** One row of a table, its cells as they stand there. */
export interface Row {
  readonly id: string;
  readonly what: string;
  /** The state cell, as written. */
  readonly stateText: string;
  readonly state: RowState;
  /** Files named in "enforced in" (rules only) and "tested in", without code marks; `+2` and `-` are left out. */
  readonly enforcedIn: readonly string[];
  readonly testedIn: readonly string[];
}

/** The tables, and the cells that could not be read. */
export interface RulesPage {
  readonly rules: readonly Row[];
  readonly cases: readonly Row[];
  readonly faults: readonly Row[];
  readonly findings: readonly string[];
}

const rowOf: Readonly<Record<Word, RegExp>> = {
  rule: /^\| (?<id>[A-Z]\d{1,2}) \| (?<what>[^|]+) \| (?<state>[^|]+) \| (?<enforced>[^|]+) \| (?<tested>[^|]+) \|$/,
  fault: /^\| (?<id>[A-K]\d{1,2}) \| (?<what>[^|]+) \| (?<state>[^|]+) \| (?<tested>[^|]+) \|$/,
  case: /^\| (?<id>[A-Z]\d{2}) \| (?<state>[^|]+) \| (?<tested>[^|]+) \|$/,
};
const words: readonly Word[] = ["rule", "fault", "case"];

/** Reads the tables of a page, or of several joined: rows of five cells are rules, of four faults, of three cases. */
export function parseRulesPage(markdown: string): RulesPage {
  const rows: Record<Word, Row[]> = { rule: [], case: [], fault: [] };
  const findings: string[] = [];
  for (const line of markdown.split("\n").map(squeeze)) {
    const read = readRow(line);
    if (read === undefined) {
      if (/^\| [A-Z]\d/.test(line)) findings.push(`cannot read the row: ${line}`);
      continue;
    }
    const { word, cells } = read;
    const state = parseState(cells.state);
    if (state === undefined || (state === "not" && word === "case")) {
      const known = `built, planned, later: issue N${word === "case" ? "" : ", not: why"}`;
      findings.push(`${pageOf[word]}: ${cells.id}: state "${cells.state}" is none of ${known}`);
      continue;
    }
    const { id, what, state: stateText, enforced, tested } = cells;
    rows[word].push({ id, what, stateText, state, enforcedIn: paths(enforced), testedIn: paths(tested) });
  }
  return { rules: rows.rule, cases: rows.case, faults: rows.fault, findings };
}

/** Which table a line is a row of, and its cells. */
function readRow(
  line: string,
): { word: Word; cells: Record<"id" | "what" | "state" | "enforced" | "tested", string> } | undefined {
  for (const word of words) {
    const groups = rowOf[word].exec(line)?.groups;
    if (groups === undefined) continue;
    const { id = "", what = "", state = "", enforced = "", tested = "" } = groups;
    return { word, cells: { id, what, state, enforced, tested } };
  }
  return undefined;
}

/** The state that a cell means, or undefined where it means none. */
export function parseState(text: string): RowState | undefined {
  if (/^built(?:, rest: issue \d+)?$/.test(text)) return "built";
  if (/^planned(?:, rest: issue \d+)?$/.test(text)) return "planned";
  if (/^later: issue \d+$/.test(text)) return "later";
  return /^not: \S/.test(text) ? "not" : undefined;
}

function squeeze(line: string): string {
  return line.replaceAll(/ {2,}/g, " ").trimEnd();
}

function paths(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
}
