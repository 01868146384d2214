import { describe, expect, it } from "vitest";
import { codeView, scan } from "./scan.ts";

function pieces(text: string): string[] {
  return scan(text).map(({ kind, start, end }) => `${kind}:${text.slice(start, end)}`);
}

describe("scan", () => {
  it("tells comments, strings and code apart", () => {
    expect(pieces(`a = "x // y"; // z "q"\n/* b */ 'c'`)).toEqual([
      "code:a = ",
      'string:"x // y"',
      "code:; ",
      'comment:// z "q"',
      "code:\n",
      "comment:/* b */",
      "code: ",
      "string:'c'",
    ]);
  });

  it("reads code inside a template as code, nested templates too", () => {
    expect(pieces("`a${f({ b: `c${d}e` })}g` + h")).toEqual([
      "string:`a${",
      "code:f({ b: ",
      "string:`c${",
      "code:d",
      "string:}e`",
      "code: })",
      "string:}g`",
      "code: + h",
    ]);
  });

  it("is not fooled by quotes and slashes in a regular expression, nor by a division", () => {
    expect(pieces(`x.match(/["'/]/g); a / b; "s"`)).toEqual([`code:x.match(/["'/]/g); a / b; `, 'string:"s"']);
    expect(pieces(`return /[/"]/`)).toEqual([`code:return /[/"]/`]);
  });

  it("covers the text without gaps and ends on text that is cut off", () => {
    for (const text of ['"open', "`open ${", "/* open", "/open", "a\\", ""]) {
      const segments = scan(text);
      expect(segments.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
    }
  });

  it("keeps offsets and quotes in the code view", () => {
    const text = `import { a } from "./x.ts"; // from "y"`;
    expect(codeView(text)).toBe(`import { a } from "      ";            `);
  });
});
