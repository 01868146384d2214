import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseParams, parseWorkspaceInput } from "./input.ts";

const ref = "0123456789abcdef".repeat(4);
const workspace = { repository: "songs", branch: "main", refType: "commit", ref };

function refusals(result: ReturnType<typeof parseWorkspaceInput>): string[] {
  return result.ok ? [] : result.findings.map(({ path, code }) => `${path}: ${code}`);
}
function firstMessage(result: { ok: boolean; findings?: readonly { message: string }[] }): string | undefined {
  return result.findings?.[0]?.message;
}

describe("rule I1: the workspace of an input", () => {
  test("the exact form is accepted, other top-level keys are ignored", () => {
    const parsed = parseWorkspaceInput({ workspace, params: {}, _engine: 1 });
    expect(parsed).toEqual({ ok: true, value: workspace });
  });

  test("an unknown field in workspace is refused: it is strict", () => {
    expect(refusals(parseWorkspaceInput({ workspace: { ...workspace, path: "/" } }))).toEqual([
      "workspace.path: input_invalid",
    ]);
  });

  test("all that is wrong is listed", () => {
    expect(refusals(parseWorkspaceInput({ workspace: { repository: "", refType: "branch", ref: "main" } }))).toEqual([
      "workspace.repository: input_invalid",
      "workspace.branch: input_invalid",
      "workspace.refType: input_invalid",
      "workspace.ref: ref_invalid",
    ]);
  });

  property.prop([fc.anything()])("anything at all is accepted or refused, and never throws", (input) => {
    expect(typeof parseWorkspaceInput(input).ok).toBe("boolean");
    expect(typeof parseWorkspaceInput({ workspace: input }).ok).toBe("boolean");
  });
});

describe("rule I4: the form of a ref", () => {
  test.each([ref, ref.slice(0, 8), ref.slice(0, 63)])("%j is accepted", (good) => {
    expect(parseWorkspaceInput({ workspace: { ...workspace, ref: good } }).ok).toBe(true);
  });

  test.each(["", "main", ref.slice(0, 7), `${ref}0`, ref.toUpperCase(), "main~1", "deadbeeg", ` ${ref}`, `${ref}\n`])(
    "%j is refused by form, as ref_invalid",
    (bad) => {
      expect(refusals(parseWorkspaceInput({ workspace: { ...workspace, ref: bad } }))).toEqual([
        "workspace.ref: ref_invalid",
      ]);
    },
  );
});

describe("rule I6: null and missing", () => {
  test("a null says that it is probably an unresolved expression", async () => {
    const task = { params: z.object({ a: z.string().optional() }), strictParams: false };
    expect(firstMessage(await parseParams(task, { params: { a: null } }))).toMatch(
      /^params\.a is null, probably an unresolved expression/,
    );
    expect(firstMessage(parseWorkspaceInput({ workspace: { ...workspace, ref: null } }))).toMatch(
      /^workspace\.ref is null, probably an unresolved expression/,
    );
    expect(firstMessage(parseWorkspaceInput({ workspace: null }))).toMatch(/probably an unresolved expression/);
  });

  test("a null that the schema wants is accepted", async () => {
    const task = { params: z.object({ a: z.string().nullable() }), strictParams: true };
    expect(await parseParams(task, { params: { a: null } })).toEqual({ ok: true, value: { a: null } });
  });

  test("a missing field is listed beside the keys that did arrive", async () => {
    const task = { params: z.object({ featureSet: z.string() }), strictParams: false };
    expect(firstMessage(await parseParams(task, { params: { featureset: "x", n: 1 } }))).toBe(
      'params.featureSet is missing; keys that did arrive: "featureset", "n"',
    );
    expect(firstMessage(await parseParams(task, { param: {} }))).toBe(
      'params is missing; keys that did arrive: "param"',
    );
    expect(firstMessage(parseWorkspaceInput({}))).toBe("workspace is missing; keys that did arrive: none");
    expect(firstMessage(parseWorkspaceInput([]))).toContain("a list");
  });
});

describe("rule I3: params", () => {
  const params = z.object({
    deep: z.object({ a: z.number() }),
    list: z.array(z.object({ b: z.number() })).default([]),
    open: z.looseObject({}).optional(),
    renamed: z
      .object({ from: z.number() })
      .transform(({ from }) => ({ to: from }))
      .optional(),
  });
  const input = { params: { deep: { a: 1, x: 1 }, list: [{ b: 1 }, { b: 2, y: 1 }], top: 1, ["__proto__x"]: 1 } };

  test("unknown fields are dropped", async () => {
    expect(await parseParams({ params, strictParams: false }, input)).toEqual({
      ok: true,
      value: { deep: { a: 1 }, list: [{ b: 1 }, { b: 2 }] },
    });
  });

  test("with strictParams they are refused with their paths, at every depth", async () => {
    const parsed = await parseParams({ params, strictParams: true }, input);
    expect(parsed.ok ? [] : parsed.findings.map(({ path }) => path)).toEqual([
      "params.deep.x",
      "params.list[1].y",
      "params.top",
      "params.__proto__x",
    ]);
  });

  test("strictParams accepts known fields, loose objects, defaults and transforms that rename", async () => {
    const good = { params: { deep: { a: 1 }, open: { any: 1 }, renamed: { from: 2 } } };
    expect(await parseParams({ params, strictParams: true }, good)).toEqual({
      ok: true,
      value: { deep: { a: 1 }, list: [], open: { any: 1 }, renamed: { to: 2 } },
    });
  });

  test("an own __proto__ key does nothing, and is refused by strictParams", async () => {
    const poison: unknown = JSON.parse('{"params": {"deep": {"a": 1, "__proto__": {"x": 1}}}}');
    const dropped = await parseParams({ params, strictParams: false }, poison);
    expect(dropped).toEqual({ ok: true, value: { deep: { a: 1 }, list: [] } });
    const refused = await parseParams({ params, strictParams: true }, poison);
    expect(refused.ok ? [] : refused.findings.map(({ path }) => path)).toEqual(["params.deep.__proto__"]);
  });

  test("values are refused with their path and without showing texts", async () => {
    const task = { params: z.object({ token: z.string().max(3), n: z.int() }), strictParams: false };
    const parsed = await parseParams(task, { params: { token: "secret-value", n: 1.5 } });
    const messages = parsed.ok ? [] : parsed.findings.map(({ message }) => message);
    expect(messages).toHaveLength(2);
    expect(messages.join()).toMatch(/params\.token is a text.*params\.n is 1\.5/);
    expect(messages.join()).not.toContain("secret-value");
  });

  test("a wrong list of many rows gives a bounded number of findings", async () => {
    const task = { params: z.object({ rows: z.array(z.number()) }), strictParams: false };
    const parsed = await parseParams(task, { params: { rows: Array(5000).fill("x") } });
    const findings = parsed.ok ? [] : parsed.findings;
    expect(findings).toHaveLength(101);
    expect(findings.at(-1)?.message).toBe("and 4900 more findings");
  });

  test("rule R7: every finding of an input has the code that the attempt fails with", async () => {
    const task = { params: z.strictObject({ a: z.number(), b: z.string() }), strictParams: true };
    const bad = [{}, { params: null }, { params: { a: "x", c: 1 } }, { params: { a: null, b: "x" } }];
    for (const input of bad) {
      const parsed = await parseParams(task, input);
      expect(parsed.ok ? [] : [...new Set(parsed.findings.map(({ code }) => code))]).toEqual(["input_invalid"]);
    }
  });

  test("async refinements are awaited, and a refinement that throws is a finding", async () => {
    const waiting = { params: z.object({ a: z.string().refine(async (a) => a === "x") }), strictParams: false };
    expect((await parseParams(waiting, { params: { a: "x" } })).ok).toBe(true);
    expect((await parseParams(waiting, { params: { a: "y" } })).ok).toBe(false);
    const boom = z.object({ a: z.string() }).refine(() => {
      throw new Error("boom");
    });
    expect(firstMessage(await parseParams({ params: boom, strictParams: false }, { params: { a: "x" } }))).toBe(
      "the schema of params threw: boom",
    );
  });
});
