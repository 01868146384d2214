import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { describeSettings, type SettingDescription } from "../src/config/describe.ts";
import { settingsSchema } from "../src/config/settings-schema.ts";
import * as api from "../src/index.ts";

const here = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");
const readme = here("../README.md");

function row({ name, form, default: value, secret, text }: SettingDescription): string {
  const shown = value === undefined ? "-" : `\`${value}\``;
  return `| \`${name}\` | ${form}${secret ? ", secret" : ""} | ${shown} | ${text.replaceAll("|", String.raw`\|`)} |`;
}

describe("the README of @perago/worker", () => {
  test("its table of settings is describeSettings(), row for row", () => {
    const rows = readme.split("\n").filter((line) => /^\| `[A-Z][A-Z_]+` \|/.test(line));
    expect(rows).toEqual(describeSettings().map(row));
  });

  test("every variable that the schema reads is in the table", () => {
    const named = new Set(describeSettings().map(({ name }) => name));
    const read = Object.keys(settingsSchema.shape).filter((name) => !name.startsWith("-"));
    expect(read.filter((name) => !named.has(name))).toEqual([]);
  });

  test("its example is the file that is compiled", () => {
    const example = here("readme-example.ts").replace("../src/index.ts", "@perago/worker");
    expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
  });

  test("every value that the package exports is named", () => {
    for (const name of Object.keys(api)) expect(readme).toMatch(new RegExp(`\`${name}\\b`));
  });
});
