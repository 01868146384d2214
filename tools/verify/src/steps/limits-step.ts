import { fileURLToPath } from "node:url";
import { runChild } from "../child.ts";
import { maxFunctionLines, parseLintReports, withoutDescribe } from "../limits/functions.ts";
import { checkLines, lineCount } from "../limits/lines.ts";
import type { Step } from "../run-steps.ts";
import { codeFolders, isCode, isGenerated, readText, readTree } from "../tree.ts";

const lintConfig = fileURLToPath(new URL("../../limits.oxlintrc.json", import.meta.url));

/**
 * File, line and function limits of all hand-written code under `root`; oxlint of `toolRoot` measures the functions.
 */
export function limitsStep(root: string, toolRoot: string = root): Step {
  return {
    name: "limits",
    run: async () => {
      const files = readTree(root, codeFolders, (path) => isCode(path) && !isGenerated(path));
      if (files.length === 0) return { ok: true, note: "no files", details: "" };
      const { output } = await runChild(["oxlint", "-c", lintConfig, "-f", "json", ...existing(files)], root, toolRoot);
      const tooLong = withoutDescribe(parseLintReports(output), (path) => readText(root, path) ?? "").map(
        ({ path, line, message }) => `${path}:${line}: ${message} (at most ${maxFunctionLines}, every line counts)`,
      );
      const findings = [...checkLines(files), ...tooLong];
      const sizes = files.map(({ text }) => lineCount(text)).toSorted((a, b) => a - b);
      const note = `${files.length} files, median ${sizes[Math.floor(sizes.length / 2)]} lines`;
      return { ok: findings.length === 0, note, details: findings.join("\n") };
    },
  };
}

function existing(files: readonly { path: string }[]): string[] {
  return codeFolders.filter((folder) => files.some(({ path }) => path.startsWith(`${folder}/`)));
}
