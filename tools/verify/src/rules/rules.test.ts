import { describe, expect, it } from "vitest";
import { checkRules } from "./check.ts";
import { citations, claims, collectEvidence } from "./evidence.ts";
import { caseIds, faultIds, ruleIds } from "./ids.ts";
import { parseRulesPage, parseState } from "./table.ts";
import { writeRulesPage } from "./write.ts";

const source = { path: "packages/a/src/a.ts", text: "// P2: only own commits.\nexport const a = 1;\n" };
const proof = { path: "packages/a/src/a.test.ts", text: `it("rule P2: own commits pass", () => {});` };
const caseProof = { path: "e2e/a.test.ts", text: `test("case N01: dot files stay", () => {});` };
const wanted = { rules: ["P2"], cases: ["N01"], faults: [] };

function page(ruleState: string, cells = "- | -", caseState = "planned"): string {
  const rule = `| P2 | walk | ${ruleState} | ${cells} |`;
  return `# Rules\n\n| rule | what | state | a | b |\n${rule}\n\n| N01 | ${caseState} | - |\n`;
}

function check(markdown: string, files: { path: string; text: string }[]) {
  return checkRules(parseRulesPage(markdown), collectEvidence(files), wanted);
}

describe("checkRules", () => {
  it("accepts a built rule with a citation and a test", () => {
    expect(check(page("built"), [source, proof]).findings).toEqual([]);
  });

  it("refuses a built rule without a test, and one without a citation", () => {
    expect(check(page("built"), [source]).findings).toEqual(['rule P2 (built): no test title says "rule P2"']);
    expect(check(page("built"), [proof]).findings).toEqual([
      "rule P2 (built): no comment under packages/*/src or apps/*/src cites P2",
    ]);
  });

  it("lists what a planned row lacks without refusing", () => {
    const { findings, gaps } = check(page("planned"), [source]);
    expect(findings).toEqual([]);
    expect(gaps).toEqual([
      'rule P2 (planned): no test title says "rule P2"',
      'case N01 (planned): no test title says "case N01"',
    ]);
  });

  it("refuses a built case without a test", () => {
    expect(check(page("planned", "- | -", "built"), []).findings).toEqual([
      'case N01 (built): no test title says "case N01"',
    ]);
    expect(check(page("planned", "- | -", "built"), [caseProof]).findings).toEqual([]);
  });

  it("refuses a test that claims a rule that comes later", () => {
    expect(check(page("later: issue 5"), []).findings).toEqual([]);
    expect(check(page("later: issue 5"), [proof]).findings).toEqual([
      "rule P2 (later: issue 5): claimed by packages/a/src/a.test.ts; call it built or drop the claim",
    ]);
  });

  it("holds faults: built ones need a test, others say why nothing shows them", () => {
    const faultProof = {
      path: "tools/chaos/src/steps.ts",
      text: `const step = { title: "fault A4: dies after the merge" };`,
    };
    const faults = (state: string, files: { path: string; text: string }[]) =>
      checkRules(parseRulesPage(`| A4 | dies | ${state} | - |\n`), collectEvidence(files), {
        rules: [],
        cases: [],
        faults: ["A4"],
      }).findings;
    expect(faults("built", [faultProof])).toEqual([]);
    expect(faults("not: no clock to turn", [])).toEqual([]);
    expect(faults("built", [])).toEqual(['fault A4 (built): no test title says "fault A4"']);
    expect(faults("not: no clock to turn", [faultProof])).toEqual([
      "fault A4 (not: no clock to turn): shown by tools/chaos/src/steps.ts; call it built",
    ]);
    expect(faults("not", [])[0]).toContain('state "not" is none of');
  });

  it("refuses a page that names a file without the rule", () => {
    expect(check(page("built", "`packages/b.ts` | `packages/a/src/a.test.ts`"), [source, proof]).findings).toEqual([
      "docs/rules.md: rule P2 names a file that does not cite it: packages/b.ts; run with --write-rules",
    ]);
  });

  it("refuses a missing row, a doubled row, an unknown id and an unknown state", () => {
    const row = "| P2 | w | planned | - | - |\n";
    expect(check("", []).findings).toEqual(["docs/rules.md: rule P2 has no row", "docs/rules.md: case N01 has no row"]);
    const text = `${row}${row}| P99 | w | planned | - | - |\n| N01 | done | - |\n| N02 | planned |\n`;
    expect(check(text, []).findings).toEqual([
      'docs/rules.md: N01: state "done" is none of built, planned, later: issue N',
      "cannot read the row: | N02 | planned |",
      "docs/rules.md: rule P99 is not in the protocol's list",
      "docs/rules.md: rule P2 has two rows",
      "docs/rules.md: case N01 has no row",
    ]);
  });
});

describe("evidence", () => {
  it("takes a rule id from comments only", () => {
    expect(citations(`/** Rule P2, C5. */ const T1 = "P3"; // see P10`)).toEqual(["P2", "C5", "P10"]);
  });

  it("takes claims from titles in each of their forms", () => {
    const titles = [
      `it("rule P1: a", f)`,
      "test.prop([a], { runs: 2 })(\n  `rule P2: b`, f)",
      `it.each([["rule P3: c", 1]])("%s", f)`,
      `const t = { name: "rule P4: d" };`,
      `describe("rule P5, rule P6", f)`,
    ];
    expect(claims(titles.join(";\n")).map(({ id }) => id)).toEqual(["P1", "P2", "P3", "P4", "P5", "P6"]);
  });

  it("takes no claim from a skipped test, a comment or another string", () => {
    const skipped = `it.skip("rule P1", f);\n// it("rule P2")\nit.todo("rule P4");`;
    const other = `const a = "rule P3"; expect(a).toBe(\`rule P5\`);`;
    expect(claims(`${skipped}\n${other}\nit.skipIf(x)("rule P6", f); log("rule P7");`)).toEqual([]);
  });

  it("tells P1 from P10, and keeps tests apart from the sources that enforce", () => {
    const { citedRules, testedRules } = collectEvidence([
      { path: "packages/a/src/a.test.ts", text: `// P3\nit("rule P10", f)` },
      { path: "tools/x/src/x.ts", text: "// P4" },
    ]);
    expect([...testedRules.keys()]).toEqual(["P10"]);
    expect([...citedRules.keys()]).toEqual([]);
  });
});

describe("test vectors", () => {
  const vectors = {
    path: "packages/a/vectors/index.json",
    text: `[{ "name": "case L07: cut", "rules": ["P2", "C5"] }]`,
  };

  it("claim their rules and cases where a test of the package runs them", () => {
    const runner = { path: "packages/a/src/v.test.ts", text: `read("../vectors/index.json")` };
    const { testedRules, testedCases } = collectEvidence([vectors, runner]);
    expect([...testedRules.keys(), ...testedCases.keys()]).toEqual(["P2", "C5", "L07"]);
  });

  it("claim nothing where no test, or another package's, runs them", () => {
    const other = { path: "packages/b/src/v.test.ts", text: `read("../vectors/index.json")` };
    expect([...collectEvidence([vectors, other]).testedRules.keys()]).toEqual([]);
  });
});

describe("writeRulesPage", () => {
  it("fills the cells and leaves states and text", () => {
    const written = writeRulesPage(page("planned"), collectEvidence([source, proof, caseProof]), false);
    expect(written).toContain("| P2 | walk | planned | `packages/a/src/a.ts` | `packages/a/src/a.test.ts` |");
    expect(written).toContain("| N01 | planned | `e2e/a.test.ts` |");
    expect(written).toContain("# Rules\n\n| rule | what | state | a | b |\n");
    expect(writeRulesPage(written, collectEvidence([source, proof, caseProof]), false)).toBe(written);
  });

  it("promotes planned rows that lack nothing, and no others", () => {
    const all = collectEvidence([source, proof, caseProof]);
    expect(writeRulesPage(page("planned"), all, true)).toContain("| P2 | walk | built |");
    expect(writeRulesPage(page("planned"), all, true)).toContain("| N01 | built |");
    expect(writeRulesPage(page("planned, rest: issue 5"), all, true)).toContain("| built, rest: issue 5 |");
    expect(writeRulesPage(page("planned"), collectEvidence([source]), true)).toContain("| P2 | walk | planned |");
    expect(writeRulesPage(page("later: issue 5"), all, true)).toContain("| P2 | walk | later: issue 5 | - | - |");
  });
});

it("knows the states", () => {
  const texts = [
    "built",
    "built, rest: issue 5",
    "planned",
    "planned, rest: issue 5",
    "later: issue 5",
    "not: why",
    "later",
    "done",
  ];
  expect(texts.map(parseState)).toEqual(["built", "built", "planned", "planned", "later", "not", undefined, undefined]);
});

it("lists all ids of the protocol, all cases and all faults to show", () => {
  expect([faultIds.length, new Set(faultIds).size]).toEqual([85, 85]);
  expect([ruleIds.length, new Set(ruleIds).size, caseIds.length, new Set(caseIds).size]).toEqual([74, 74, 77, 77]);
});
