import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { readTaskDef } from "../support/conductor.ts";
import { createTestRun, writeModule, type TestRun } from "../support/test-run.ts";

const finding = z.looseObject({
  severity: z.enum(["error", "warning"]),
  file: z.string().optional(),
  task: z.string().optional(),
  code: z.string(),
  message: z.string(),
  hint: z.string(),
});
const report = z.looseObject({ findings: z.array(finding) });

let run: TestRun;
/** Files by what is wrong with them. */
let modules: Readonly<Record<string, string>>;
let findings: readonly z.infer<typeof finding>[];

/** A module with one task, as an author writes it. */
function moduleText(name: string, more: string): string {
  return `import { defineTask } from "@perago/taskdef";
import { z } from "zod";
const publishBudget = {
  observedMergeP99Seconds: 20, safetyMarginSeconds: 10, lakefsMergeTimeoutSeconds: 45,
  conductorCompletionTimeoutSeconds: 15, workerShutdownGraceSeconds: 30, heartbeatIntervalSeconds: 10,
};
const timeout = { seconds: 900 };
export default defineTask({
  name: "${name}", ownerEmail: "e2e@example.com", params: z.object({}), output: z.object({}),
  ${more}
  run: () => ({}),
});
`;
}

function name(short: string): string {
  return `e2e.check.${short}.${run.id}`;
}

const WORKSPACE = `workspace: { prefix: "/work" },`;

beforeAll(async () => {
  run = await createTestRun([]);
  const texts: Readonly<Record<string, string>> = {
    nowhere: moduleText(name("nowhere"), "controls: { timeout, publishBudget },"),
    merge: moduleText(
      name("merge"),
      `${WORKSPACE} controls: { timeout, publishBudget: { ...publishBudget, lakefsMergeTimeoutSeconds: 29 } },`,
    ),
    enough: moduleText(
      name("enough"),
      `${WORKSPACE} controls: { timeout, publishBudget: { ...publishBudget, lakefsMergeTimeoutSeconds: 30 } },`,
    ),
    unknown: moduleText(
      name("unknown"),
      `${WORKSPACE} controls: { timeout, publishBudget: { ...publishBudget, exactOnce: true } },`,
    ),
    twin: moduleText(name("enough"), `${WORKSPACE} controls: { timeout },`),
    throws: `throw new Error("no such table");\n`,
    enum: `enum Colour { red = "red" }\nexport const colour = Colour.red;\n`,
    empty: "export const nothing = 1;\n",
  };
  const written = Object.entries(texts).map(
    async ([key, text]) => [key, await writeModule(text, `${key}.ts`)] as const,
  );
  modules = Object.fromEntries(await Promise.all(written));
  const { exitCode, stdout, stderr } = await run.perago(["check", ...Object.values(modules), "--json"]);
  expect(exitCode, stderr).toBe(1);
  findings = report.parse(JSON.parse(stdout)).findings;
});

function errorsOf(key: string) {
  return findings.filter(({ file, severity }) => severity === "error" && file?.endsWith(`${key}.ts`));
}

interface Bad {
  readonly what: string;
  readonly module: string;
  readonly code: string;
  readonly names: readonly string[];
  readonly mend: RegExp;
}

const bad: readonly Bad[] = [
  {
    what: "a publish budget on a task without a workspace",
    module: "nowhere",
    code: "budget_without_workspace",
    names: ["publishBudget"],
    mend: /workspace|remove/i,
  },
  {
    what: "a merge timeout of 29 s where 20 + 10 are needed",
    module: "merge",
    code: "budget_merge_timeout_too_small",
    names: ["29", "20", "10"],
    mend: /30/,
  },
  {
    what: "a budget field that is not one",
    module: "unknown",
    code: "budget_field_unknown",
    names: ["exactOnce"],
    mend: /./,
  },
  { what: "a name that two tasks have", module: "twin", code: "task_name_twice", names: ["enough"], mend: /./ },
  {
    what: "a module that throws on import",
    module: "throws",
    code: "module_throws",
    names: ["throws.ts", "no such table"],
    mend: /run\(\)/,
  },
  {
    what: "a module with an enum",
    module: "enum",
    code: "module_syntax",
    names: ["enum.ts", "enum"],
    mend: /as const instead of an enum/,
  },
  { what: "a module without a task", module: "empty", code: "module_without_task", names: ["empty.ts"], mend: /./ },
];

describe("perago check names the thing and the mend", () => {
  test.for(bad)("$what", ({ module, code, names, mend }) => {
    const [found, ...others] = errorsOf(module);
    expect(others).toEqual([]);
    expect(found?.code).toBe(code);
    for (const each of names) expect(`${found?.task ?? ""} ${found?.message}`).toContain(each);
    expect(found?.hint).toMatch(mend);
  });

  test("a merge timeout of 30 s with 20 + 10 is accepted", () => {
    expect(errorsOf("enough")).toEqual([]);
  });

  test("there is no other error", () => {
    const errors = findings.filter(({ severity }) => severity === "error");
    expect(errors.map(({ code }) => code).toSorted()).toEqual(bad.map(({ code }) => code).toSorted());
  });
});

describe("nothing comes of bad modules on the real engine", () => {
  test.for(["register", "start"])(
    "perago %s refuses them all with 1 before it asks any server for anything",
    async (command) => {
      const { exitCode, stderr } = await run.perago([command, ...Object.values(modules)], dead());
      expect(exitCode, stderr).toBe(1);
      for (const { code } of bad) expect(stderr).toContain(code);
      for (const short of ["nowhere", "merge", "enough", "unknown"]) {
        expect(await readTaskDef(name(short))).toBeUndefined();
      }
    },
  );
});

/** Settings that would end with 3 where a server was asked. */
function dead(): Record<string, string> {
  const url = "http://127.0.0.1:9";
  const roots = { PERAGO_WORKSPACE_ROOT: `${run.root}/workspaces`, PERAGO_LOG_ROOT: `${run.root}/logs` };
  return { ...roots, CONDUCTOR_SERVER_URL: `${url}/api`, LAKECTL_SERVER_ENDPOINT_URL: url };
}
