/**
 * Where a rule or case stands: `built` is claimed and checked; `planned` is being worked on; `later: issue 5` comes
 * with that issue and may not be claimed by a test; `, rest: issue 5` behind built or planned names the issue that
 * brings what is missing.
 */
export type RowState = "built" | "planned" | "later";

/** One row of docs/rules.md, its cells as they stand there. */
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

/** The two tables of docs/rules.md, and the cells that could not be read. */
export interface RulesPage {
  readonly rules: readonly Row[];
  readonly cases: readonly Row[];
  readonly findings: readonly string[];
}

const ruleRow = /^\| ([A-Z]\d{1,2}) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/;
const caseRow = /^\| ([A-Z]\d{2}) \| ([^|]+) \| ([^|]+) \|$/;

/** Reads docs/rules.md: rows of five cells are rules, rows of three are cases. */
export function parseRulesPage(markdown: string): RulesPage {
  const rules: Row[] = [];
  const cases: Row[] = [];
  const findings: string[] = [];
  for (const line of markdown.split("\n").map(squeeze)) {
    const [, ruleId, what = "", ruleState = "", enforced = "", ruleTests = ""] = ruleRow.exec(line) ?? [];
    const [, caseId, caseState = "", caseTests = ""] = caseRow.exec(line) ?? [];
    const id = ruleId ?? caseId;
    if (id === undefined) {
      if (/^\| [A-Z]\d/.test(line)) findings.push(`docs/rules.md: cannot read the row: ${line}`);
      continue;
    }
    const stateText = ruleId === undefined ? caseState : ruleState;
    const state = parseState(stateText);
    if (state === undefined) {
      findings.push(`docs/rules.md: ${id}: state "${stateText}" is none of built, planned, later: issue N`);
      continue;
    }
    const row = { id, what, stateText, state, enforcedIn: paths(enforced), testedIn: paths(ruleTests + caseTests) };
    (ruleId === undefined ? cases : rules).push(row);
  }
  return { rules, cases, findings };
}

/** The state that a cell means, or undefined where it means none. */
export function parseState(text: string): RowState | undefined {
  if (/^built(?:, rest: issue \d+)?$/.test(text)) return "built";
  if (/^planned(?:, rest: issue \d+)?$/.test(text)) return "planned";
  return /^later: issue \d+$/.test(text) ? "later" : undefined;
}

function squeeze(line: string): string {
  return line.replaceAll(/ {2,}/g, " ").trimEnd();
}

function paths(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
}
