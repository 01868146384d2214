import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { defineTask, isTaskDefinition, type AnyTaskDefinition } from "./define-task.ts";
import type { Workspace } from "./run-context.ts";
import type { WorkspaceSpec } from "./workspace-spec.ts";

const base = {
  name: "features.build",
  ownerEmail: "data@example.com",
  params: z.object({ featureSet: z.string(), minRows: z.string().transform(Number) }),
  output: z.object({ rowCount: z.number(), note: z.string().default("none") }),
  controls: { timeout: { seconds: 3600 } },
};

const budget = {
  observedMergeP99Seconds: 20,
  safetyMarginSeconds: 10,
  lakefsMergeTimeoutSeconds: 45,
  conductorCompletionTimeoutSeconds: 15,
  workerShutdownGraceSeconds: 30,
  heartbeatIntervalSeconds: 10,
};

/** Lets plain JavaScript's mistakes past the types, as they would come from a `.mjs` module. */
function untyped(options: object): AnyTaskDefinition {
  return Reflect.apply(defineTask, undefined, [options]);
}

describe("the inferred types", () => {
  test("workspace is in run's argument where it is declared, params are the output side of their schema", () => {
    const task = defineTask({
      ...base,
      workspace: { prefix: "/audio/render" },
      async run({ workspace, params }) {
        expectTypeOf(workspace).toEqualTypeOf<Workspace>();
        expectTypeOf(params).toEqualTypeOf<{ featureSet: string; minRows: number }>();
        return { rowCount: params.minRows };
      },
    });
    expectTypeOf(task.run).returns.toEqualTypeOf<
      { rowCount: number; note?: string | undefined } | Promise<{ rowCount: number; note?: string | undefined }>
    >();
    expect(task.findings).toEqual([]);
  });

  test("workspace is not in run's argument of a workspace-free task", () => {
    defineTask({
      ...base,
      // @ts-expect-error there is no workspace without a declaration
      run({ workspace }) {
        return { rowCount: workspace === undefined ? 0 : 1 };
      },
    });
    defineTask({
      ...base,
      run({ params, signal, log, metrics, progress, attempt }) {
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(attempt.retryCount).toEqualTypeOf<number>();
        expectTypeOf(log.info).toBeFunction();
        expectTypeOf(metrics.counter).toBeFunction();
        expectTypeOf(progress).toBeFunction();
        return { rowCount: params.minRows };
      },
    });
  });

  test("a result of the wrong type, a missing field and an unknown option do not compile", () => {
    defineTask({
      ...base,
      // @ts-expect-error rowCount is a number
      run: () => ({ rowCount: "many" }),
    });
    defineTask({
      ...base,
      // @ts-expect-error rowCount is missing
      async run() {
        return { note: "x" };
      },
    });
    defineTask({
      ...base,
      // @ts-expect-error no such option
      retries: 3,
      run: () => ({ rowCount: 1 }),
    });
    defineTask({
      ...base,
      // @ts-expect-error params is a z.object
      params: z.string(),
      run: () => ({ rowCount: 1 }),
    });
    defineTask({
      ...base,
      // @ts-expect-error exactOnce is no field of a budget
      controls: { publishBudget: { ...budget, exactOnce: true } },
      run: () => ({ rowCount: 1 }),
    });
    defineTask({
      ...base,
      // @ts-expect-error it is readOnly
      workspace: { prefix: "/", readonly: true },
      run: () => ({ rowCount: 1 }),
    });
  });

  test("workspace options given as a value of type WorkspaceSpec, or as undefined, keep their meaning", () => {
    const spec: WorkspaceSpec = { prefix: "/", readOnly: true };
    const withSpec = defineTask({
      ...base,
      workspace: spec,
      run: ({ workspace }) => ({ rowCount: workspace.path.length }),
    });
    expect(withSpec.workspace?.readOnly).toBe(true);
    const without = defineTask({
      ...base,
      workspace: undefined,
      run(context) {
        expectTypeOf(context).not.toHaveProperty("workspace");
        return { rowCount: 1 };
      },
    });
    expect(without.workspace).toBeUndefined();
  });

  test("every task is an AnyTaskDefinition without a cast", () => {
    const withWorkspace = defineTask({ ...base, workspace: { prefix: "/" }, run: () => ({ rowCount: 1 }) });
    const without = defineTask({ ...base, run: () => ({ rowCount: 1 }) });
    const all: AnyTaskDefinition[] = [withWorkspace, without];
    expect(all.map((task) => task.workspace?.prefix)).toEqual(["/", undefined]);
    expect(all.map(isTaskDefinition)).toEqual([true, true]);
    expect(isTaskDefinition({ ...base, run: () => ({}) })).toBe(false);
    expect(isTaskDefinition(undefined)).toBe(false);
  });
});

describe("what is wrong with a declaration is in its findings", () => {
  const codes = (task: AnyTaskDefinition): string[] => task.findings.map(({ code, path }) => `${path}: ${code}`);

  test("all findings are listed at once and nothing is thrown", () => {
    const task = untyped({
      name: "a:b",
      workspace: { prefix: "../x", pre: [{ kind: "requireFile", path: "/etc/passwd" }], readonly: true },
      params: z.string(),
      output: {},
      strictParams: "yes",
      description: 7,
      controls: { retry: { count: 11 }, timeout: { responseSeconds: 0.2 }, retries: 1 },
      surprise: true,
    });
    expect(codes(task)).toEqual([
      "surprise: unknown_field",
      "name: task_name",
      "ownerEmail: owner_email",
      "params: schema_shape",
      "output: schema_shape",
      "description: option_shape",
      "strictParams: option_shape",
      "run: run_missing",
      "workspace.readonly: unknown_field",
      "workspace.prefix: workspace_prefix",
      "workspace.pre[0].path: guardrail_path",
      "controls.retry.count: invalid_value",
      "controls.timeout.responseSeconds: invalid_value",
      "controls.retries: unknown_field",
      "controls.timeout.seconds: body_time_unlimited",
    ]);
  });

  test("a good declaration has no finding, and no argument at all is a TypeError", () => {
    expect(untyped({ ...base, run: () => ({}) }).findings).toEqual([]);
    expect(() => Reflect.apply(defineTask, undefined, [])).toThrow(TypeError);
    expect(codes(untyped({ ...base, workspace: null, run: () => ({}) }))).toEqual(["workspace: workspace_shape"]);
  });

  test.each([undefined, "", " ", "data", "data@", "@example.com", "a b@example.com", "a@b@c", "a@b..c"])(
    "case C03: ownerEmail %j is refused, and no default is made up",
    (ownerEmail) => {
      const task = untyped({ ...base, ownerEmail, run: () => ({}) });
      expect(codes(task)).toEqual(["ownerEmail: owner_email"]);
      expect(task.ownerEmail).toBe(ownerEmail);
    },
  );

  test.each(["data@example.com", "a.b+c@x", "größe@example.org"])(
    "case C03: ownerEmail %j is accepted",
    (ownerEmail) => {
      expect(untyped({ ...base, ownerEmail, run: () => ({}) }).findings).toEqual([]);
    },
  );
});

test("a task is frozen, and run keeps the this of its options", () => {
  const task = defineTask({
    ...base,
    run() {
      return { rowCount: this.name.length };
    },
  });
  expect(Object.isFrozen(task)).toBe(true);
  expect(Reflect.apply(task.run, undefined, [{}])).toEqual({ rowCount: "features.build".length });
});
