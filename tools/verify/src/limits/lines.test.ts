import { expect, it } from "vitest";
import { checkLines, lineCount } from "./lines.ts";

function lines(count: number): string {
  return "a();\n".repeat(count);
}

it("refuses a file with 450 lines and accepts one with 400", () => {
  expect(checkLines([{ path: "packages/a/src/a.ts", text: lines(450) }])).toEqual([
    "packages/a/src/a.ts: 450 lines, at most 400; split it",
  ]);
  expect(checkLines([{ path: "packages/a/src/a.ts", text: lines(400) }])).toEqual([]);
});

it("gives tests 600 lines, and generated files no limit", () => {
  expect(checkLines([{ path: "packages/a/src/a.test.ts", text: lines(600) }])).toEqual([]);
  expect(checkLines([{ path: "packages/a/src/a.test.ts", text: lines(601) }])).toHaveLength(1);
  expect(checkLines([{ path: "packages/a/src/generated/a.ts", text: lines(9_000) }])).toEqual([]);
});

it("refuses a line of 121 letters unless it holds an address", () => {
  expect(checkLines([{ path: "a.ts", text: `//${"x".repeat(118)}\n//${"x".repeat(119)}` }])).toEqual([
    "a.ts:2: 121 letters in a line, at most 120",
  ]);
  expect(checkLines([{ path: "a.ts", text: `// https://${"x".repeat(119)}` }])).toEqual([]);
});

it("lets the title of a test be longer, in a test file only", () => {
  const text = `  test("${"x".repeat(119)}", () => {\n`;
  expect(checkLines([{ path: "packages/a/test/a.test.ts", text }])).toEqual([]);
  expect(checkLines([{ path: "packages/a/src/a.ts", text }])).toHaveLength(1);
});

it("counts lines with and without a last line break", () => {
  expect([lineCount("a\nb\n"), lineCount("a\nb")]).toEqual([2, 2]);
});
