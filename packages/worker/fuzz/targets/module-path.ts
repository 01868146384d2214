import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import * as fc from "fast-check";
import { resolveModulePath } from "../../src/tasks/module-path.ts";
import { demand, demandWords } from "../kit/judge.ts";
import { hostileText } from "../kit/hostile.ts";
import { fuzzTarget, type FuzzTarget } from "../kit/target.ts";

const SCHEMES = ["file:///etc/passwd", "data:text/javascript,1", "node:fs", "https://x/y.ts", "FILE:a.ts", "blob:x"];
const NAMES = [
  "a.ts",
  "b.mjs",
  "c.json",
  "folder",
  "folder.ts",
  "link.ts",
  "loop.ts",
  "dangling.ts",
  "pipe.ts",
  "no.ts",
];

const given = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NAMES, ...SCHEMES) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("./", "folder/../", "/", "//", ""), fc.constantFrom(...NAMES))
      .map((p) => p.join("")),
  },
  { weight: 2, arbitrary: hostileText },
  { weight: 1, arbitrary: hostileText.map((text) => `${text}.ts`) },
);

/** A folder with one of each: module, data, folder, links to a file, to themselves and to nothing, a pipe. */
async function makeFolder(): Promise<string> {
  const folder = realpathSync(await mkdtemp(join(tmpdir(), "perago-fuzz-module-")));
  for (const name of ["a.ts", "b.mjs", "c.json"]) writeFileSync(join(folder, name), "");
  for (const name of ["folder", "folder.ts"]) mkdirSync(join(folder, name));
  symlinkSync("a.ts", join(folder, "link.ts"));
  symlinkSync("loop.ts", join(folder, "loop.ts"));
  symlinkSync("nothing", join(folder, "dangling.ts"));
  execFileSync("mkfifo", [join(folder, "pipe.ts")]);
  return folder;
}

/** Fault J6. */
export function modulePathTarget(resolve = resolveModulePath): FuzzTarget {
  let folder = "";
  return fuzzTarget({
    name: "module-path",
    claim: "only the real path of a regular file that Node loads as a module is accepted; no code runs",
    share: 3,
    input: given,
    open: async () => {
      folder = await makeFolder();
      return () => rm(folder, { recursive: true, force: true });
    },
    check: async (text) => {
      const resolved = await resolve(text, folder);
      if (!resolved.ok) {
        demandWords(resolved.finding.message, "the message");
        return demandWords(resolved.finding.hint, "the hint");
      }
      const { modulePath } = resolved;
      demand(realpathSync(modulePath) === modulePath, "not the real path", modulePath);
      demand(lstatSync(modulePath).isFile(), "not a regular file", modulePath);
      demand([".ts", ".mts", ".mjs", ".js"].includes(extname(modulePath)), "not a module", modulePath);
      demand(!/^[a-z][a-z0-9+.-]+:/i.test(text), "a URL was taken for a path", text);
    },
  });
}
