import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hintFor } from "../src/client/classify.ts";
import { LakefsClient } from "../src/client/client.ts";
import { SyncError } from "../src/errors.ts";

const here = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

test("the README's example is the file that is compiled", () => {
  const example = here("readme-example.ts")
    .replace(/^\/\/ oxlint.*\n/, "")
    .replace("../src/index.ts", "@perago/lakefs-sync");
  expect(here("../README.md")).toContain(`\`\`\`ts\n${example}\`\`\``);
});

test("the README names every method of the client", () => {
  const methods = Object.getOwnPropertyNames(LakefsClient.prototype).filter(
    (name) => !["constructor", "close"].includes(name),
  );
  for (const method of methods) expect(here("../README.md")).toContain(`\`${method}\``);
});

test("the README names every error code", () => {
  const codes = here("../src/errors.ts").matchAll(/^ {2}\| "(\w+)"/gm);
  for (const [, code] of codes) expect(here("../README.md")).toContain(`\`${code}\``);
  for (const [, code] of here("../src/client/errors.ts").matchAll(/^ {2}\| "(\w+)"/gm)) {
    expect(here("../README.md")).toContain(`\`${code}\``);
  }
  expect(hintFor("busy")).not.toBe("");
  expect(new SyncError("disk_full", "x").hint).not.toBe("");
});
