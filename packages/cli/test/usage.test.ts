import { describe, expect, test } from "vitest";
import { perago } from "./support/perago.ts";

describe("usage", () => {
  test.for([
    { args: [], says: "Usage: perago" },
    { args: ["chekc", "a.ts"], says: "unknown command 'chekc'" },
    { args: ["check"], says: "missing required argument 'modules'" },
    { args: ["check", "free.ts", "--jsno"], says: "unknown option '--jsno'" },
    { args: ["extract"], says: "missing required argument 'modules'" },
    { args: ["extract", "free.ts", "-o"], says: "argument missing" },
    { args: ["extract", "free.ts", "-o", "a.json", "--check", "a.json"], says: "exclude each other" },
    { args: ["extract", "free.ts", "-o", ""], says: "need a path" },
    { args: ["register", "free.ts", "-n"], says: "unknown option '-n'" },
    { args: ["start"], says: "missing required argument 'modules'" },
    { args: ["start", "free.ts", "--domain"], says: "argument missing" },
  ])("perago $args is a usage error: 2, and nothing on stdout", async ({ args, says }) => {
    const { exitCode, stdout, stderr } = await perago(args);
    expect(stderr).toContain(says);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  });

  test("help and version are results: 0, on stdout", async () => {
    const help = await perago(["start", "--help"]);
    expect(help.exitCode).toBe(0);
    expect(help.stdout).toContain("--slots <task=n>");
    const version = await perago(["--version"]);
    expect({ exitCode: version.exitCode, stderr: version.stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
