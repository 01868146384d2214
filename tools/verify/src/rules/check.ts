import type { AllEvidence, Evidence } from "./evidence.ts";
import { pageOf, type Row, type RulesPage, type Word } from "./table.ts";

/** `findings` refuse; `gaps` tell what a planned row still lacks. */
export interface RulesResult {
  readonly findings: readonly string[];
  readonly gaps: readonly string[];
  readonly summary: string;
}

/** Ids that the tables must have, each once, and no other. */
export interface WantedIds {
  readonly rules: readonly string[];
  readonly cases: readonly string[];
  readonly faults: readonly string[];
}

/** Holds the tables against the sources. */
export function checkRules(page: RulesPage, evidence: AllEvidence, wanted: WantedIds): RulesResult {
  const { citedRules, testedRules, testedCases, testedFaults } = evidence;
  const rows = [
    ...page.rules.map((row) => ({ row, word: "rule" as const, cited: citedRules, tested: testedRules })),
    ...page.cases.map((row) => ({ row, word: "case" as const, cited: undefined, tested: testedCases })),
    ...page.faults.map((row) => ({ row, word: "fault" as const, cited: undefined, tested: testedFaults })),
  ];
  const lacks = rows.map(({ row, word, cited, tested }) => ({ row, text: missing(row, word, cited, tested) }));
  const findings = [
    ...page.findings,
    ...compareIds("rule", wanted.rules, page.rules),
    ...compareIds("case", wanted.cases, page.cases),
    ...compareIds("fault", wanted.faults, page.faults),
    ...lacks.filter(({ row }) => row.state === "built").flatMap(({ text }) => text),
    ...rows.flatMap(({ row, word, cited, tested }) => untrue(row, word, cited, tested)),
  ];
  const gaps = lacks.filter(({ row }) => row.state === "planned").flatMap(({ text }) => text);
  const summary = `rules ${counts(page.rules)}; cases ${counts(page.cases)}; faults ${counts(page.faults)}`;
  return { findings, gaps, summary };
}

/** What a row lacks to be called built: a citation in the sources, a test title. */
export function missing(row: Row, word: string, cited: Evidence | undefined, tested: Evidence): string[] {
  const lacks: string[] = [];
  if (cited !== undefined && !cited.has(row.id))
    lacks.push(`no comment under packages/*/src or apps/*/src cites ${row.id}`);
  if (!tested.has(row.id)) lacks.push(`no test title says "${word} ${row.id}"`);
  return lacks.map((lack) => `${word} ${row.id} (${row.stateText}): ${lack}`);
}

function untrue(row: Row, word: Word, cited: Evidence | undefined, tested: Evidence): string[] {
  if (row.state === "later") {
    const claiming = [...(tested.get(row.id) ?? []), ...row.enforcedIn, ...row.testedIn];
    return claiming.map(
      (path) => `${word} ${row.id} (${row.stateText}): claimed by ${path}; call it built or drop the claim`,
    );
  }
  if (row.state === "not" && tested.has(row.id)) {
    return [`${word} ${row.id} (${row.stateText}): shown by ${tested.get(row.id)?.join(", ")}; call it built`];
  }
  // A planned row is being worked on: its files come and go.
  if (row.state !== "built") return [];
  return [
    ...row.enforcedIn.filter((path) => !cited?.get(row.id)?.includes(path)).map((path) => `does not cite it: ${path}`),
    ...row.testedIn
      .filter((path) => !tested.get(row.id)?.includes(path))
      .map((path) => `has no test title for it: ${path}`),
  ].map((wrong) => `${pageOf[word]}: ${word} ${row.id} names a file that ${wrong}; run with --write-rules`);
}

function compareIds(word: Word, wanted: readonly string[], rows: readonly Row[]): string[] {
  const found = rows.map(({ id }) => id);
  return [
    ...wanted.filter((id) => !found.includes(id)).map((id) => `${pageOf[word]}: ${word} ${id} has no row`),
    ...found
      .filter((id) => !wanted.includes(id))
      .map((id) => `${pageOf[word]}: ${word} ${id} is not in the protocol's list`),
    ...found.filter((id, at) => found.indexOf(id) !== at).map((id) => `${pageOf[word]}: ${word} ${id} has two rows`),
  ];
}

function counts(rows: readonly Row[]): string {
  const count = (state: string): number => rows.filter((row) => row.state === state).length;
  const not = count("not");
  const rest = not === 0 ? "" : `, ${not} not shown`;
  return `${count("built")} built, ${count("planned")} planned, ${count("later")} later${rest}`;
}
