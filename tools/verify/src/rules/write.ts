import { missing } from "./check.ts";
import type { AllEvidence, Evidence } from "./evidence.ts";
import { parseRulesPage, type Row } from "./table.ts";

const maxPathsPerCell = 3;

/**
 * A page with its "enforced in" and "tested in" cells filled from the sources. States, texts and everything around
 * the tables stay; with `promote`, planned rows that lack nothing become built.
 */
export function writeRulesPage(markdown: string, evidence: AllEvidence, promote: boolean): string {
  const lines = markdown.split("\n").map((line) => {
    const { rules, cases, faults } = parseRulesPage(line);
    const [rule, found, fault] = [rules[0], cases[0], faults[0]];
    if (rule !== undefined) return ruleLine(rule, evidence, promote);
    if (fault !== undefined) return faultLine(fault, evidence, promote);
    return found === undefined ? line : caseLine(found, evidence, promote);
  });
  return lines.join("\n");
}

function ruleLine(row: Row, { citedRules, testedRules }: AllEvidence, promote: boolean): string {
  const state = nextState(row, promote, missing(row, "rule", citedRules, testedRules));
  return `| ${row.id} | ${row.what} | ${state} | ${cell(row, citedRules)} | ${cell(row, testedRules)} |`;
}

function faultLine(row: Row, { testedFaults }: AllEvidence, promote: boolean): string {
  const state = nextState(row, promote, missing(row, "fault", undefined, testedFaults));
  return `| ${row.id} | ${row.what} | ${state} | ${cell(row, testedFaults)} |`;
}

function caseLine(row: Row, { testedCases }: AllEvidence, promote: boolean): string {
  const state = nextState(row, promote, missing(row, "case", undefined, testedCases));
  return `| ${row.id} | ${state} | ${cell(row, testedCases)} |`;
}

function nextState(row: Row, promote: boolean, lacks: readonly string[]): string {
  return promote && row.state === "planned" && lacks.length === 0
    ? row.stateText.replace("planned", "built")
    : row.stateText;
}

function cell(row: Row, evidence: Evidence): string {
  const paths = row.state === "later" || row.state === "not" ? [] : (evidence.get(row.id) ?? []);
  const shown = paths.slice(0, maxPathsPerCell).map((path) => `\`${path}\``);
  const rest = paths.length - shown.length;
  return shown.length === 0 ? "-" : shown.join(", ") + (rest > 0 ? `, +${rest}` : "");
}
