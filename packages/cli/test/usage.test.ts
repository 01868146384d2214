import { describe, expect, test } from "vitest";
import type { Output } from "../src/output/style.ts";
import { parseArguments, type Request } from "../src/program.ts";
import { perago } from "./support/perago.ts";

interface Parsed {
  readonly request: Request;
  readonly stdout: string;
  readonly stderr: string;
}

function parse(...args: string[]): Parsed {
  const written = { stdout: "", stderr: "" };
  const output = (name: "stdout" | "stderr"): Output => ({
    write: (text) => {
      written[name] += text;
    },
    paint: (_, text) => text,
  });
  const request = parseArguments(args, "1.2.3", { stdout: output("stdout"), stderr: output("stderr") });
  return { request, ...written };
}

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
    { args: ["run"], says: "missing required argument 'module'" },
    { args: ["run", "a.ts", "b.ts"], says: "too many arguments" },
    { args: ["dev", "--lakefs-port", "x"], says: "a port is a number from 0 to 65535" },
    { args: ["start"], says: "missing required argument 'modules'" },
    { args: ["start", "free.ts", "--domain"], says: "argument missing" },
  ])("perago $args is a usage error: 2, and nothing on stdout", ({ args, says }) => {
    const { request, stdout, stderr } = parse(...args);
    expect(stderr).toContain(says);
    expect({ request, stdout }).toEqual({ request: { command: "done", exitCode: 2 }, stdout: "" });
  });

  test.for([
    { args: ["--help"], says: "Usage: perago" },
    { args: ["help", "start"], says: "--slots <task=n>" },
    { args: ["start", "--help"], says: "--slots <task=n>" },
    { args: ["--version"], says: "1.2.3" },
  ])("perago $args is a result: 0, on stdout", ({ args, says }) => {
    const { request, stdout, stderr } = parse(...args);
    expect(stdout).toContain(says);
    expect({ request, stderr }).toEqual({ request: { command: "done", exitCode: 0 }, stderr: "" });
  });

  test("options of start may stand before and between the modules", () => {
    const { request } = parse("start", "--slots", "a=1", "a.ts", "-j", "4", "b.ts", "--slots", "b=2", "--json");
    expect(request).toEqual({
      command: "start",
      modules: ["a.ts", "b.ts"],
      slots: ["a=1", "b=2"],
      flags: { jobs: "4" },
      json: true,
    });
  });

  test("the process itself ends with 2 after a usage error, and with 0 after help", async () => {
    const { exitCode, stdout } = await perago(["chekc"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect((await perago(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
