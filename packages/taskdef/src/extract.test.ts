import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTask, type AnyTaskDefinition } from "./define-task.ts";
import { formatTaskDef, toTaskDef } from "./extract.ts";
import { requireGlob } from "./guardrail.ts";

const base = { name: "features.build", ownerEmail: "data@example.com" };
const params = z.object({ featureSet: z.string().default("x"), minRows: z.number() });
const output = z.object({ rowCount: z.number(), note: z.string().default("none") });
const publishBudget = {
  observedMergeP99Seconds: 20,
  safetyMarginSeconds: 10,
  lakefsMergeTimeoutSeconds: 45,
  conductorCompletionTimeoutSeconds: 15,
  workerShutdownGraceSeconds: 30,
  heartbeatIntervalSeconds: 10,
};
const workspaceTask = defineTask({
  ...base,
  workspace: { prefix: "/audio", pre: [requireGlob("raw/**")] },
  params,
  output,
  controls: { publishBudget },
  run: () => ({ rowCount: 1 }),
});
const freeTask = defineTask({ ...base, params, output, run: () => ({ rowCount: 1 }) });

function extracted(task: AnyTaskDefinition) {
  const result = toTaskDef(task);
  if (!result.ok) throw new Error(JSON.stringify(result.findings));
  return result.taskDef;
}

function accepts(schema: Readonly<Record<string, unknown>>, value: unknown): boolean {
  return z.fromJSONSchema({ ...schema }).safeParse(value).success;
}

describe("the mapping to a TaskDef", () => {
  test("defaults give every field but the unset limits and the poll timeout (cases C01, C12)", () => {
    const { inputSchema, outputSchema, ...rest } = extracted(workspaceTask);
    expect(rest).toEqual({
      name: "features.build",
      ownerEmail: "data@example.com",
      retryCount: 3,
      retryLogic: "FIXED",
      retryDelaySeconds: 60,
      maxRetryDelaySeconds: 0,
      backoffJitterMs: 0,
      timeoutPolicy: "TIME_OUT_WF",
      timeoutSeconds: 0,
      responseTimeoutSeconds: 600,
      totalTimeoutSeconds: 0,
      inputKeys: ["workspace", "params"],
      outputKeys: ["workspace", "result"],
    });
    expect([inputSchema.name, outputSchema.name]).toEqual(["features.build.input", "features.build.output"]);
    expect([inputSchema.version, inputSchema.type]).toEqual([1, "JSON"]);
  });

  test("every control ends in its field", () => {
    const task = defineTask({
      ...base,
      description: "counts",
      params,
      output,
      controls: {
        retry: { count: 1, logic: "LINEAR_BACKOFF", delaySeconds: 2, maxDelaySeconds: 3, backoffJitterMs: 4 },
        timeout: { policy: "ALERT_ONLY", seconds: 6, responseSeconds: 5, pollSeconds: 70, totalSeconds: 8 },
        limits: { concurrentExecutions: 9, rateLimit: { perFrequency: 10, frequencySeconds: 11 } },
      },
      run: () => ({ rowCount: 1 }),
    });
    expect(extracted(task)).toMatchObject({
      description: "counts",
      retryCount: 1,
      retryLogic: "LINEAR_BACKOFF",
      retryDelaySeconds: 2,
      maxRetryDelaySeconds: 3,
      backoffJitterMs: 4,
      timeoutPolicy: "ALERT_ONLY",
      timeoutSeconds: 6,
      responseTimeoutSeconds: 5,
      pollTimeoutSeconds: 70,
      totalTimeoutSeconds: 8,
      concurrentExecLimit: 9,
      rateLimitPerFrequency: 10,
      rateLimitFrequencyInSeconds: 11,
      inputKeys: ["params"],
      outputKeys: ["result"],
    });
  });

  test("the publish budget is never in it", () => {
    expect(workspaceTask.controls.publishBudget).toBeDefined();
    expect(formatTaskDef(extracted(workspaceTask))).not.toMatch(/budget|lakefsMerge|heartbeat|P99/i);
  });

  test("the same code gives the same bytes", () => {
    expect(formatTaskDef(extracted(workspaceTask))).toBe(formatTaskDef(extracted(workspaceTask)));
    expect(formatTaskDef(extracted(freeTask))).toMatch(/^\{\n {2}"name": "features.build",\n.*\}\n$/s);
  });

  test("warnings come along, errors refuse with all findings", () => {
    expect(toTaskDef(freeTask).findings.map(({ code }) => code)).toEqual(["body_time_unlimited"]);
    const bad = defineTask({
      ...base,
      name: "",
      params: z.object({ when: z.date() }),
      output,
      run: () => ({ rowCount: 1 }),
    });
    const refused = toTaskDef(bad);
    expect(refused.ok).toBe(false);
    expect(refused.findings.map(({ code }) => code)).toEqual(["task_name", "body_time_unlimited", "schema_not_json"]);
  });

  test("a task whose params are no schema refuses without throwing", () => {
    const bad: AnyTaskDefinition = Reflect.apply(defineTask, undefined, [{ ...base, params: {}, output, run() {} }]);
    expect(toTaskDef(bad).ok).toBe(false);
  });
});

describe("the schemas", () => {
  const ref = "0".repeat(64);
  const workspace = { repository: "songs", branch: "main", refType: "commit", ref };

  test("case J01: the input schema covers the whole input and behaves as the run does", () => {
    const { data } = extracted(workspaceTask).inputSchema;
    expect(accepts(data, { workspace, params: { minRows: 1 } })).toBe(true);
    expect(accepts(data, { workspace, params: { minRows: 1, more: 1 }, engineKey: {} })).toBe(true);
    expect(accepts(data, { workspace, params: { minRows: "1" } })).toBe(false);
    expect(accepts(data, { workspace: { ...workspace, more: 1 }, params: { minRows: 1 } })).toBe(false);
    expect(accepts(data, { workspace: { ...workspace, ref: "main" }, params: { minRows: 1 } })).toBe(false);
    expect(accepts(data, { params: { minRows: 1 } })).toBe(false);
    expect(accepts(data, { workspace })).toBe(false);
    expect(JSON.stringify(data)).not.toContain("$ref");
  });

  test("case J01: the output schema covers the whole output, closed where unknown fields are refused", () => {
    const { data } = extracted(workspaceTask).outputSchema;
    expect(accepts(data, { workspace, result: { rowCount: 1, note: "n" }, engineKey: 1 })).toBe(true);
    expect(accepts(data, { workspace, result: { rowCount: 1, note: "n", more: 1 } })).toBe(false);
    expect(data["required"]).toEqual(["workspace", "result"]);
    expect(extracted(freeTask).outputSchema.data["required"]).toEqual(["result"]);
  });

  test("rule I3: strictParams closes the input's params at every depth, not the top", () => {
    const task = defineTask({
      ...base,
      params: z.object({ deep: z.object({ a: z.number() }), open: z.looseObject({}) }),
      strictParams: true,
      output,
      run: () => ({ rowCount: 1 }),
    });
    const { data } = extracted(task).inputSchema;
    expect(accepts(data, { params: { deep: { a: 1 }, open: { b: 1 } }, engineKey: 1 })).toBe(true);
    expect(accepts(data, { params: { deep: { a: 1, b: 1 }, open: {} } })).toBe(false);
    expect(accepts(data, { params: { deep: { a: 1 }, open: {}, c: 1 } })).toBe(false);
  });

  test("case J02: the draft is named, and the same, in every schema", () => {
    for (const task of [workspaceTask, freeTask]) {
      const { inputSchema, outputSchema } = extracted(task);
      for (const { data } of [inputSchema, outputSchema]) {
        expect(data["$schema"]).toBe("http://json-schema.org/draft-07/schema#");
      }
    }
  });

  test("case J04: input side for input, output side for output", () => {
    const { inputSchema, outputSchema } = extracted(freeTask);
    expect(inputSchema.data).toMatchObject({ properties: { params: { required: ["minRows"] } } });
    expect(outputSchema.data).toMatchObject({ properties: { result: { required: ["rowCount", "note"] } } });
    const transforming = defineTask({
      ...base,
      params: z.object({ n: z.string().transform(Number) }),
      output,
      run: () => ({ rowCount: 1 }),
    });
    expect(extracted(transforming).inputSchema.data).toMatchObject({
      properties: { params: { properties: { n: { type: "string" } } } },
    });
  });

  test("recursive schemas keep references that resolve in the whole schema", () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const task = defineTask({ ...base, params: z.object({ tree }), output, run: () => ({ rowCount: 1 }) });
    const { data } = extracted(task).inputSchema;
    expect(accepts(data, { params: { tree: { name: "a", children: [{ name: "b", children: [] }] } } })).toBe(true);
    expect(accepts(data, { params: { tree: { name: "a", children: [{ name: 1, children: [] }] } } })).toBe(false);
  });

  test("whatever else the conversion throws is a finding too, with the field where one can be told", () => {
    const broken = (params: z.ZodObject) => {
      const { findings } = toTaskDef(defineTask({ ...base, params, output, run: () => ({ rowCount: 1 }) }));
      return findings.filter(({ code }) => code === "schema_not_json").map(({ path }) => path);
    };
    const twice = { a: z.string().meta({ id: "Same" }), b: z.number().meta({ id: "Same" }) };
    expect(broken(z.object(twice))).toEqual(["params"]);
    const throwing = z.lazy((): z.ZodString => {
      throw new Error("not ready");
    });
    expect(broken(z.object({ good: z.string(), bad: throwing }))).toEqual(["params.bad"]);
  });

  test("what JSON Schema cannot say is a finding that names task and field", () => {
    const task = defineTask({
      ...base,
      params: z.object({
        when: z.date(),
        list: z.array(z.object({ big: z.bigint() })),
        either: z.union([z.string(), z.map(z.string(), z.string())]),
        table: z.record(z.string(), z.date()),
        pair: z.tuple([z.string(), z.symbol()]),
      }),
      output: z.object({ n: z.string().transform(Number) }),
      run: () => ({ n: "1" }),
    });
    const { findings } = toTaskDef(task);
    const broken = findings.filter(({ code }) => code === "schema_not_json");
    expect(broken.map(({ path }) => path)).toEqual([
      "params.when",
      "params.list[].big",
      "params.either",
      "params.table[*]",
      "params.pair[1]",
      "result.n",
    ]);
    expect(broken[0]?.message).toMatch(/task "features.build", field params.when: Date/);
  });
});
