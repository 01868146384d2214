import { codeView, scan } from "../source/scan.ts";
import { isCode, isGenerated, isTest, type SourceFile } from "../tree.ts";

/** Files by rule or case id, in order of path. */
export type Evidence = ReadonlyMap<string, readonly string[]>;

/** What the sources say: comments that cite a rule, and test titles that claim a rule, a case or a fault. */
export interface AllEvidence {
  readonly citedRules: Evidence;
  readonly testedRules: Evidence;
  readonly testedCases: Evidence;
  /** Tests and steps of the chaos run. */
  readonly testedFaults: Evidence;
}

const citation = /\b[ITAPCHXRS]\d{1,2}\b/g;
const claim = /\b(rule|case|fault) ([A-Z]\d{1,2})\b/g;
// The invariants of the simulation are held where it is.
const enforcing = /^(?:packages|apps)\/[^/]+\/(?:src|sim)\//;
const proving = /^(?:packages|apps|e2e)\//;
const provingCases = /^(?:packages|apps|e2e|tools)\//;
const vectorFile = /^(packages\/[^/]+)\/vectors\/([^/]+\.json)$/;
// Contract suites and the steps of the chaos run stand in plain modules.
const provingModule = /^(?:packages\/[^/]+\/contract|tools\/chaos\/src)\//;
// The checker's own tests hold titles of others as data.
const self = "tools/verify/";
const opensTitle = /(?:\b(?:test|it|describe)(?:\.\w+)*|\))\s*\($|\b(?:name|title|claim)\s*:$/;
const opensArray = /\[$/;
const inactive = /\.(?:skip|todo|skipIf|runIf|fails)\b|\bx(?:it|describe|test)\b/;

/** Collects the evidence of all files. */
export function collectEvidence(files: readonly SourceFile[]): AllEvidence {
  const citedRules = new Map<string, string[]>();
  const testedRules = new Map<string, string[]>();
  const testedCases = new Map<string, string[]>();
  const testedFaults = new Map<string, string[]>();
  for (const { path, text } of files) {
    const vectors = vectorFile.exec(path);
    if (vectors !== null) {
      const isRun = files.some((file) => isRunBy(file, vectors[1] ?? "", vectors[2] ?? ""));
      for (const { kind, id } of isRun ? vectorClaims(text) : [])
        add(kind === "case" ? testedCases : testedRules, id, path);
    }
    if (!isCode(path) || isGenerated(path) || path.startsWith(self)) continue;
    if (path.endsWith(".test.ts") || provingModule.test(path)) {
      for (const { kind, id } of claims(text)) {
        if (kind === "fault" && provingCases.test(path)) add(testedFaults, id, path);
        if (kind === "case" && provingCases.test(path)) add(testedCases, id, path);
        if (kind === "rule" && proving.test(path)) add(testedRules, id, path);
      }
    } else if (enforcing.test(path) && !isTest(path)) {
      for (const id of citations(text)) add(citedRules, id, path);
    }
  }
  return { citedRules, testedRules, testedCases, testedFaults };
}

/** Files that can be evidence: code, and a package's test vectors. */
export function isEvidence(path: string): boolean {
  return isCode(path) || vectorFile.test(path);
}

/** What test vectors claim: the `rules` of each vector, and the case that begins its `name`. */
export function vectorClaims(json: string): { kind: string; id: string }[] {
  const rules = [...json.matchAll(/"rules"\s*:\s*\[([^\]]*)\]/g)].flatMap(
    ([, list = ""]) => list.match(citation) ?? [],
  );
  const cases = [...json.matchAll(/"name"\s*:\s*"case ([A-Z]\d{2})\b/g)].map(([, id = ""]) => id);
  return [...rules.map((id) => ({ kind: "rule", id })), ...cases.map((id) => ({ kind: "case", id }))];
}

function isRunBy({ path, text }: SourceFile, packageFolder: string, name: string): boolean {
  return path.startsWith(`${packageFolder}/`) && path.endsWith(".test.ts") && text.includes(`vectors/${name}`);
}

/** Rule ids in the comments of a source text. */
export function citations(text: string): string[] {
  return scan(text)
    .filter(({ kind }) => kind === "comment")
    .flatMap(({ start, end }) => text.slice(start, end).match(citation) ?? []);
}

/**
 * What the test titles of a text claim: `rule P2`, `case N01`, `fault B5`. A title is a string given to test, it or
 * describe (their
 * forms with a table too), a `name`, `title` or `claim` in a table, or the first cell of a table's row where it begins
 * with the claim. Skipped tests claim nothing.
 */
export function claims(text: string): { kind: string; id: string }[] {
  const segments = scan(text);
  const view = codeView(text, segments);
  return segments
    .filter(({ kind }) => kind === "string")
    .flatMap(({ start, end }) => {
      const title = text.slice(start + 1, end);
      const before = view.slice(Math.max(0, start - 200), start).trimEnd();
      const isTitle = opensTitle.test(before) || (opensArray.test(before) && /^(?:rule|case|fault) /.test(title));
      if (!isTitle || inactive.test(before.slice(before.search(/[^;{}]*$/)))) return [];
      return [...title.matchAll(claim)].map(([, kind = "", id = ""]) => ({ kind, id }));
    });
}

function add(evidence: Map<string, string[]>, id: string, path: string): void {
  const paths = evidence.get(id) ?? [];
  if (!paths.includes(path)) evidence.set(id, [...paths, path]);
}
