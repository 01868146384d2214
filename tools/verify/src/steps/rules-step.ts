import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkRules } from "../rules/check.ts";
import { collectEvidence, isEvidence } from "../rules/evidence.ts";
import { caseIds, faultIds, ruleIds } from "../rules/ids.ts";
import { pageOf, parseRulesPage } from "../rules/table.ts";
import { writeRulesPage } from "../rules/write.ts";
import type { Step } from "../run-steps.ts";
import { codeFolders, readText, readTree } from "../tree.ts";

const pages = [...new Set(Object.values(pageOf))];

/** Holds the tables of rules, cases and faults against the sources. Gaps of planned rows are details, not failures. */
export function rulesStep(root: string): Step {
  return {
    name: "rules",
    run: async () => {
      const tables = parseRulesPage(pages.map((page) => readText(root, page) ?? "").join("\n"));
      const wanted = { rules: ruleIds, cases: caseIds, faults: faultIds };
      const { findings, gaps, summary } = checkRules(
        tables,
        collectEvidence(readTree(root, codeFolders, isEvidence)),
        wanted,
      );
      return { ok: findings.length === 0, note: summary, details: [...findings, ...gaps].join("\n") };
    },
  };
}

/** Fills the generated cells of the pages. Returns the pages that changed. */
export function writeRules(root: string, promote: boolean): string[] {
  const evidence = collectEvidence(readTree(root, codeFolders, isEvidence));
  return pages.filter((page) => {
    const before = readText(root, page) ?? "";
    const after = writeRulesPage(before, evidence, promote);
    if (after !== before) writeFileSync(join(root, page), after);
    return after !== before;
  });
}
