import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import * as exported from "../src/index.ts";

test("the README's example is the test beside it, and its table names every function", async () => {
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1];
  const compiled = await readFile(new URL("./readme-example.test.ts", import.meta.url), "utf8");
  // What users import by its name is the package itself here.
  expect(example?.replace('"@perago/testing"', '"../src/index.ts"')).toBe(compiled);
  for (const name of Object.keys(exported)) expect(readme).toContain(`\`${name}`);
});
