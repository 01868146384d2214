import { describe, expect, test } from "vitest";
import { platformFindings } from "../src/read-modules.ts";
import { deadAddress } from "./support/fake-conductor.ts";
import { fixture, perago } from "./support/perago.ts";

interface Report {
  readonly tasks: readonly { readonly name: string; readonly ok: boolean; readonly responseTimeoutSeconds: number }[];
  readonly findings: readonly {
    readonly severity: string;
    readonly file?: string;
    readonly task?: string;
    readonly code: string;
    readonly message: string;
    readonly hint: string;
  }[];
}

async function checkJson(...modules: string[]): Promise<{ readonly exitCode: number | null; readonly report: Report }> {
  const { exitCode, stdout } = await perago(["check", ...modules, "--json"]);
  return { exitCode, report: JSON.parse(stdout) as Report };
}

describe("perago check", () => {
  test("case C01: sound tasks have a line each that says where responseTimeoutSeconds comes from", async () => {
    const { exitCode, stdout, stderr } = await perago(["check", "build.ts", "free.ts"]);
    expect(stderr).toBe("");
    expect(stdout).toContain("ok       features.build  build.ts");
    expect(stdout).toContain("responseTimeoutSeconds 120: controls.timeout.responseSeconds");
    expect(stdout).toContain("the publish budget needs 100 (merge 45 + completion 15 + grace 30 + heartbeat 10)");
    expect(stdout).toContain("ok       plain.second");
    expect(stdout).toContain("responseTimeoutSeconds 600");
    expect(stdout).toContain("3 tasks read, no findings");
    expect(exitCode).toBe(0);
  });

  test("warnings alone are no failure: the response timeout below the budget, the read-only budget, no time limit", async () => {
    const { exitCode, report } = await checkJson("warned.ts");
    const found = report.findings.map(({ severity, task, code }) => `${severity} ${task} ${code}`);
    expect(found.toSorted()).toEqual([
      "warning warned.reading publish_budget_ignored_read_only",
      "warning warned.short body_time_unlimited",
      "warning warned.short response_timeout_below_budget",
    ]);
    const sentence =
      "WorkspaceSpec(readOnly=true) disables workspace publication; TaskControls.publishBudget is ignored.";
    expect(report.findings.map(({ message }) => message)).toContain(sentence);
    expect(report.findings.map(({ message }) => message).join("\n")).toMatch(/99 is less than .* = 100/);
    expect(exitCode).toBe(0);
  });

  test("case C02, case C03: all errors of all modules are listed at once, each with file, task and mend", async () => {
    const modules = ["bad.ts", "throws.ts", "enum.ts", "free.ts", "twin.ts", "missing.ts"];
    const { exitCode, report } = await checkJson(...modules);
    expect(exitCode).toBe(1);
    const found = report.findings.map(({ file, task, code }) => `${file} ${task ?? "-"} ${code}`);
    expect(found.toSorted()).toEqual([
      "bad.ts bad.merge budget_merge_timeout_too_small",
      "bad.ts bad.nowhere budget_without_workspace",
      "bad.ts bad.ownerless owner_email",
      "bad.ts bad.ownerless response_over_timeout",
      "enum.ts - module_syntax",
      "missing.ts - module_missing",
      "throws.ts - module_throws",
      "twin.ts plain.first task_name_twice",
    ]);
    for (const { message, hint } of report.findings) {
      expect(message).not.toBe("");
      expect(hint).not.toBe("");
    }
    expect(report.tasks.find(({ name }) => name === "plain.second")?.ok).toBe(true);
    expect(report.findings.find(({ code }) => code === "response_over_timeout")?.message).toMatch(/61.*60/);
  });

  test("an error as text names the task, the file, the code and the mend", async () => {
    const { exitCode, stdout } = await perago(["check", "throws.ts"]);
    expect(stdout).toContain("error    throws.ts  module_throws\n");
    expect(stdout).toContain("no such table");
    expect(stdout).toContain("-> Fix what the module does");
    expect(exitCode).toBe(1);
  });

  test("case P11: check and extract open no connection and end by themselves, whatever the settings say", async () => {
    const environment = { CONDUCTOR_SERVER_URL: await deadAddress(), LAKECTL_SERVER_ENDPOINT_URL: "not an address" };
    expect((await perago(["check", "free.ts"], { environment })).exitCode).toBe(0);
    expect((await perago(["extract", "free.ts"], { environment })).exitCode).toBe(0);
  });

  test("there is no colour on a pipe, unless FORCE_COLOR asks for it; NO_COLOR is honoured", async () => {
    const escape = String.fromCodePoint(27);
    const run = async (environment: Record<string, string>): Promise<string> =>
      (await perago(["check", "free.ts"], { environment })).stdout;
    expect(await run({})).not.toContain(escape);
    expect(await run({ FORCE_COLOR: "1" })).toContain(escape);
    expect(await run({ NO_COLOR: "1" })).not.toContain(escape);
  });

  test("a module that is given by an absolute path is shown from the working folder", async () => {
    const { stdout } = await perago(["check", fixture("free.ts")]);
    expect(stdout).toContain("plain.first   free.ts");
  });

  test("case N18: Windows is said to be unsupported, other systems are not", () => {
    expect(platformFindings("win32").map(({ severity, code }) => `${severity} ${code}`)).toEqual([
      "error platform_unsupported",
    ]);
    expect(platformFindings("linux")).toEqual([]);
    expect(platformFindings("darwin")).toEqual([]);
  });
});
