import { checkDocComments } from "../docs/doc-comments.ts";
import type { Step } from "../run-steps.ts";
import { isCode, readTree } from "../tree.ts";

/** Every exported declaration of a package has a doc comment. */
export function docsStep(root: string): Step {
  return {
    name: "docs",
    run: async () => {
      const findings = checkDocComments(readTree(root, ["packages"], isCode));
      return { ok: findings.length === 0, details: findings.join("\n") };
    },
  };
}
