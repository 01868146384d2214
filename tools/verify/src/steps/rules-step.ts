import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkRules } from "../rules/check.ts";
import { collectEvidence, isEvidence } from "../rules/evidence.ts";
import { caseIds, ruleIds } from "../rules/ids.ts";
import { parseRulesPage } from "../rules/table.ts";
import { writeRulesPage } from "../rules/write.ts";
import type { Step } from "../run-steps.ts";
import { codeFolders, readText, readTree } from "../tree.ts";

const page = "docs/rules.md";

/** Holds docs/rules.md against comments and test titles. Gaps of planned rows are details, not failures. */
export function rulesStep(root: string): Step {
  return {
    name: "rules",
    run: async () => {
      const markdown = parseRulesPage(readText(root, page) ?? "");
      const wanted = { rules: ruleIds, cases: caseIds };
      const { findings, gaps, summary } = checkRules(
        markdown,
        collectEvidence(readTree(root, codeFolders, isEvidence)),
        wanted,
      );
      return { ok: findings.length === 0, note: summary, details: [...findings, ...gaps].join("\n") };
    },
  };
}

/** Fills the generated cells of docs/rules.md. Returns whether the page changed. */
export function writeRules(root: string, promote: boolean): boolean {
  const before = readText(root, page) ?? "";
  const after = writeRulesPage(before, collectEvidence(readTree(root, codeFolders, isEvidence)), promote);
  if (after !== before) writeFileSync(join(root, page), after);
  return after !== before;
}
