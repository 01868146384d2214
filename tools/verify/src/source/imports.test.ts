import { expect, it } from "vitest";
import { exportStarLines, importsOf } from "./imports.ts";

it("finds every form of import, over several lines too", () => {
  const text = [
    `import "./a.ts";`,
    `import type { B } from './b.ts';`,
    `import {`,
    `  c,`,
    `} from "./c.ts";`,
    `export { d } from "./d.ts";`,
    `const e = await import("./e.ts");`,
  ].join("\n");
  expect(importsOf(text)).toEqual([
    { specifier: "./a.ts", line: 1 },
    { specifier: "./b.ts", line: 2 },
    { specifier: "./c.ts", line: 5 },
    { specifier: "./d.ts", line: 6 },
    { specifier: "./e.ts", line: 7 },
  ]);
});

it("reads no import in a comment, a string, a template or Array.from", () => {
  const text = '// import "x"\nconst a = `import "y" from "z"`; const b = "from"; Array.from("abc"); /* from "q" */';
  expect(importsOf(text)).toEqual([]);
});

it("finds export *, also as a namespace or of types, and not in text", () => {
  expect(
    exportStarLines(`export * from "./a.ts";\nexport * as b from "./b.ts";\nexport type * from "./c.ts";`),
  ).toEqual([1, 2, 3]);
  expect(exportStarLines(`// export * from\nconst a = "export * from"; export const b = 2 * 3;`)).toEqual([]);
});
