import { expect, it } from "vitest";
import { wrapComments } from "./wrap.ts";

it("wraps each form of comment and keeps its indent", () => {
  expect(wrapComments("  // one two three", 12)).toBe("  // one two\n  // three");
  expect(wrapComments(" * one two three", 10)).toBe(" * one two\n * three");
  expect(wrapComments("  /** one two three */", 14)).toBe("  /**\n   * one two\n   * three\n   */");
  expect(wrapComments(" * - one two three", 14)).toBe(" * - one two\n *   three");
});

it("leaves code, comments behind code, short lines and long words alone", () => {
  for (const text of [`const a = "one two three";`, "a(); // one two three", "// one", `// ${"x".repeat(30)}`]) {
    expect(wrapComments(text, 12)).toBe(text);
  }
});

it("wraps a second time to the same text", () => {
  const once = wrapComments("/** one two three four five */\n// six seven eight nine ten", 14);
  expect(wrapComments(once, 14)).toBe(once);
});
