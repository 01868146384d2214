import { expect, it } from "vitest";
import { checkDocComments } from "./doc-comments.ts";

function check(text: string, path = "packages/a/src/a.ts"): string[] {
  return checkDocComments([{ path, text }]);
}

it("refuses each kind of exported declaration without a doc comment", () => {
  const kinds = [
    "function f() {}",
    "async function f() {}",
    "const f = 1;",
    "class f {}",
    "interface f {}",
    "type f = 1;",
  ];
  for (const kind of kinds) {
    expect(check(`export ${kind}`), kind).toEqual(["packages/a/src/a.ts:1: f is exported and has no doc comment"]);
    expect(check(`/** What it is. */\nexport ${kind}`), kind).toEqual([]);
  }
});

it("takes no other comment for one, and no comment of something else", () => {
  expect(check("// What.\nexport const a = 1;")).toHaveLength(1);
  expect(check("/** B. */\nconst b = 1;\nexport const a = 1;")).toHaveLength(1);
});

it("leaves re-exports, later overloads, tests, tools and text in strings alone", () => {
  expect(check(`export { a } from "./a.ts";\nconst b = \`\nexport const c = 1;\`;`)).toEqual([]);
  expect(check("/** F. */\nexport function f(a: 1): 1;\nexport function f(a: 2): 2;")).toEqual([]);
  expect(check("export const a = 1;", "packages/a/src/a.test.ts")).toEqual([]);
  expect(check("export const a = 1;", "tools/a/src/a.ts")).toEqual([]);
});
