import { describe, expect, test } from "vitest";
import {
  checkGuardrails,
  evaluateGuardrails,
  forbidGlob,
  isGuardrail,
  requireDir,
  requireFile,
  requireGlob,
} from "./guardrail.ts";

const messages = (...args: Parameters<typeof evaluateGuardrails>): string[] =>
  evaluateGuardrails(...args).map(({ message }) => message);

describe("what guardrails hold", () => {
  const listing = ["raw/a.parquet", "raw/x/b.parquet", "notes.txt", "out/.keep"];

  test("guardrails that hold give no violation", () => {
    const held = [
      requireFile("notes.txt"),
      requireDir("raw"),
      requireDir("raw/x/"),
      requireGlob("raw/**/*.parquet", { min: 2, max: 2 }),
      requireGlob("**", { max: 4 }),
      forbidGlob("**/*.tmp"),
    ];
    expect(messages(held, listing)).toEqual([]);
  });

  test("all violations are listed, each naming what and the mend", () => {
    const violations = evaluateGuardrails(
      [
        requireFile("absent.txt"),
        requireFile("raw"),
        requireDir("empty"),
        requireDir("notes.txt"),
        requireGlob("raw/*.csv"),
        requireGlob("raw/**", { max: 1 }),
        forbidGlob("**/*.parquet"),
      ],
      new Set(listing),
    );
    expect(violations.map(({ message }) => message)).toEqual([
      'requireFile: "absent.txt" is missing',
      'requireFile: "raw" is a directory',
      'requireDir: "empty" holds no file (an empty directory is not content)',
      'requireDir: "notes.txt" is a file',
      'requireGlob: "raw/*.csv" matches 0 files, at least 1 needed',
      'requireGlob: "raw/**" matches 2 files, at most 1 allowed: "raw/a.parquet", "raw/x/b.parquet"',
      'forbidGlob: "**/*.parquet" matches 2 files: "raw/a.parquet", "raw/x/b.parquet"',
    ]);
    expect(violations.every(({ hint }) => hint.length > 10)).toBe(true);
  });

  test("rule T10: requireDir holds only for a directory with at least one file below it", () => {
    expect(messages([requireDir("out")], ["out/deep/file"])).toEqual([]);
    expect(messages([requireDir("out")], ["outer/file", "x/out/file"])).toHaveLength(1);
    expect(messages([requireDir("out")], [])).toHaveLength(1);
  });

  test("a long list of forbidden files is cut", () => {
    const many = Array.from({ length: 1000 }, (_, index) => `f${index}.tmp`);
    expect(messages([forbidGlob("*.tmp")], many)[0]).toMatch(/matches 1000 files: .* and 995 more$/);
  });
});

describe("how guardrails may be declared", () => {
  test("guardrails are plain data that survives JSON", () => {
    const all = [requireFile("a"), requireDir("a"), requireGlob("*", { min: 0, max: 3 }), forbidGlob("*")];
    expect(JSON.parse(JSON.stringify(all))).toEqual(all);
    expect(checkGuardrails(all, "pre")).toEqual([]);
  });

  test.each(["", " ", "/abs", "../up", "a/../b", "a//b", "a/", "./a", "a\0b"])(
    "the path %j is refused in every kind of guardrail",
    (path) => {
      for (const guardrail of [requireFile(path), requireGlob(path), forbidGlob(path), { kind: "requireDir", path }]) {
        expect(checkGuardrails([guardrail], "pre").map(({ code }) => code)).toEqual(["guardrail_path"]);
        expect(isGuardrail(guardrail)).toBe(false);
      }
    },
  );

  test.each(["a", ".hidden", "a/b c", "ä", "**/*.csv", "..a/b..", "a\\b"])("the path %j is accepted", (path) => {
    expect(checkGuardrails([requireFile(path), requireGlob(path)], "pre")).toEqual([]);
  });

  test.each([{ min: -1 }, { min: 1.5 }, { min: 3, max: 2 }, { max: 0 }, { min: 0 }, { max: Number.NaN }])(
    "the count %j is refused",
    (count) => {
      expect(checkGuardrails([requireGlob("*", count)], "pre").map(({ code }) => code)).toContain("guardrail_count");
    },
  );

  test("what is no guardrail is refused with its place", () => {
    const list = [
      null,
      "x",
      { kind: "requireMagic" },
      { kind: "requireFile", path: 7 },
      { ...forbidGlob("*"), max: 1 },
    ];
    expect(checkGuardrails(list, "workspace.post").map(({ path, code }) => `${path}: ${code}`)).toEqual([
      "workspace.post[0]: guardrail_kind",
      "workspace.post[1]: guardrail_kind",
      "workspace.post[2]: guardrail_kind",
      "workspace.post[3].path: guardrail_path",
      "workspace.post[4].max: unknown_field",
    ]);
    expect(checkGuardrails("pre", "workspace.pre")).toHaveLength(1);
  });
});
