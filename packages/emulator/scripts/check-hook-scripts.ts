import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { InvalidAction, parseAction } from "../src/lakefs/hooks/action-file.ts";
import { findNewerSyntax, findOneSidedNames } from "../src/lakefs/hooks/newer-lua.ts";

// Checks that hook scripts use only what both Luas understand: lakeFS runs 5.2, the emulator 5.4.
// Arguments: files or folders; default the working folder. In folders every `_lakefs_actions/*.yaml` is looked at.

const skippedFolders: ReadonlySet<string> = new Set(["node_modules", ".git", "dist"]);
const actionFile = /(?:^|\/)_lakefs_actions\/[^/]+\.ya?ml$/;
const maxFileCount = 10_000;

/** What is wrong with one script: file, line and thing. */
export function checkScript(where: string, code: string): string[] {
  const newer = findNewerSyntax(code);
  const syntax =
    newer === undefined ? [] : [`${where}:${newer.line}: \`${newer.token}\` is not in the Lua 5.2 of lakeFS`];
  const names = findOneSidedNames(code).map(
    ({ name, line, onlyIn }) => `${where}:${line}: ${name} is only in ${onlyIn}`,
  );
  return [...syntax, ...names];
}

/** The same for a file: a Lua script, or an action with its Lua hooks. */
export function checkFile(path: string): string[] {
  const text = readFileSync(path, "utf8");
  if (path.endsWith(".lua")) return checkScript(path, text);
  try {
    return parseAction(text).hooks.flatMap(({ id, type, properties }) => {
      const script = properties["script"];
      return type === "lua" && typeof script === "string" ? checkScript(`${path} hook ${id}`, script) : [];
    });
  } catch (error) {
    if (error instanceof InvalidAction) return [`${path}: ${error.message}`];
    throw error;
  }
}

/** The files that the arguments mean. */
export function filesOf(paths: readonly string[]): string[] {
  const found: string[] = [];
  const pending = [...paths];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (!statSync(path).isDirectory()) {
      found.push(path);
      continue;
    }
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const below = join(path, entry.name);
      if (entry.isDirectory() && !skippedFolders.has(entry.name)) pending.push(below);
      else if (entry.isFile() && actionFile.test(below)) found.push(below);
    }
    if (found.length > maxFileCount) throw new Error(`more than ${maxFileCount} action files`);
  }
  return found.toSorted((left, right) => left.localeCompare(right));
}

if (import.meta.main) {
  const paths = process.argv.slice(2);
  const files = filesOf(paths.length === 0 ? ["."] : paths);
  const findings = files.flatMap(checkFile);
  for (const finding of findings) process.stderr.write(`${finding}\n`);
  process.stdout.write(`${files.length} files, ${findings.length} findings\n`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
