import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { lakefsTypes, lakefsTypesFile } from "./lakefs-types.ts";

test("the committed lakeFS types are what the server's own description gives", async () => {
  expect(await lakefsTypes()).toBe(await readFile(lakefsTypesFile, "utf8"));
});
