import type { AllEvidence, Evidence } from "./evidence.ts";
import type { RulesPage, Row } from "./table.ts";

/** `findings` refuse; `gaps` tell what a planned row still lacks. */
export interface RulesResult {
  readonly findings: readonly string[];
  readonly gaps: readonly string[];
  readonly summary: string;
}

/** Ids that the page must have, each once, and no other. */
export interface WantedIds {
  readonly rules: readonly string[];
  readonly cases: readonly string[];
}

/** Holds docs/rules.md against the sources. */
export function checkRules(page: RulesPage, evidence: AllEvidence, wanted: WantedIds): RulesResult {
  const { citedRules, testedRules, testedCases } = evidence;
  const rows = [
    ...page.rules.map((row) => ({ row, word: "rule", cited: citedRules, tested: testedRules })),
    ...page.cases.map((row) => ({ row, word: "case", cited: undefined, tested: testedCases })),
  ];
  const lacks = rows.map(({ row, word, cited, tested }) => ({ row, text: missing(row, word, cited, tested) }));
  const findings = [
    ...page.findings,
    ...compareIds("rule", wanted.rules, page.rules),
    ...compareIds("case", wanted.cases, page.cases),
    ...lacks.filter(({ row }) => row.state === "built").flatMap(({ text }) => text),
    ...rows.flatMap(({ row, word, cited, tested }) => untrue(row, word, cited, tested)),
  ];
  const gaps = lacks.filter(({ row }) => row.state === "planned").flatMap(({ text }) => text);
  return { findings, gaps, summary: `rules ${counts(page.rules)}; cases ${counts(page.cases)}` };
}

/** What a row lacks to be called built: a citation in the sources, a test title. */
export function missing(row: Row, word: string, cited: Evidence | undefined, tested: Evidence): string[] {
  const lacks: string[] = [];
  if (cited !== undefined && !cited.has(row.id))
    lacks.push(`no comment under packages/*/src or apps/*/src cites ${row.id}`);
  if (!tested.has(row.id)) lacks.push(`no test title says "${word} ${row.id}"`);
  return lacks.map((lack) => `${word} ${row.id} (${row.stateText}): ${lack}`);
}

function untrue(row: Row, word: string, cited: Evidence | undefined, tested: Evidence): string[] {
  if (row.state === "later") {
    const claiming = [...(tested.get(row.id) ?? []), ...row.enforcedIn, ...row.testedIn];
    return claiming.map(
      (path) => `${word} ${row.id} (${row.stateText}): claimed by ${path}; call it built or drop the claim`,
    );
  }
  // A planned row is being worked on: its files come and go.
  if (row.state === "planned") return [];
  return [
    ...row.enforcedIn.filter((path) => !cited?.get(row.id)?.includes(path)).map((path) => `does not cite it: ${path}`),
    ...row.testedIn
      .filter((path) => !tested.get(row.id)?.includes(path))
      .map((path) => `has no test title for it: ${path}`),
  ].map((wrong) => `docs/rules.md: ${word} ${row.id} names a file that ${wrong}; run with --write-rules`);
}

function compareIds(word: string, wanted: readonly string[], rows: readonly Row[]): string[] {
  const found = rows.map(({ id }) => id);
  return [
    ...wanted.filter((id) => !found.includes(id)).map((id) => `docs/rules.md: ${word} ${id} has no row`),
    ...found
      .filter((id) => !wanted.includes(id))
      .map((id) => `docs/rules.md: ${word} ${id} is not in the protocol's list`),
    ...found.filter((id, at) => found.indexOf(id) !== at).map((id) => `docs/rules.md: ${word} ${id} has two rows`),
  ];
}

function counts(rows: readonly Row[]): string {
  const count = (state: string): number => rows.filter((row) => row.state === state).length;
  return `${count("built")} built, ${count("planned")} planned, ${count("later")} later`;
}
