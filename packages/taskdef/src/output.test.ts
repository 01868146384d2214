import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkOutput, DEFAULT_OUTPUT_LIMIT_BYTES, serializeOutput } from "./output.ts";
import { toPlainJson, utf8SizeBytes } from "./plain-json.ts";

const anything = { output: z.looseObject({}) };
class Point {
  readonly x: number = 1;
}
const cyclic: Record<string, unknown> = { a: 1 };
cyclic["self"] = { back: cyclic };
function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}
async function paths(value: unknown): Promise<string[]> {
  const checked = await checkOutput(anything, value);
  return checked.ok ? [] : checked.findings.map(({ path }) => path);
}

describe("fault J3, case J05: a result is a plain object", () => {
  test.each([[[]], ["text"], [null], [undefined], [1], [true], [() => 1], [1n]])(
    "%s at the top is refused",
    async (value) => {
      expect(await paths(value)).toEqual(["result"]);
    },
  );

  test.each([
    ["a class instance", new Point(), "a Point"],
    ["a Buffer", Buffer.from("x"), "a Buffer"],
    ["a Map", new Map(), "a Map"],
    ["a Set", new Set(), "a Set"],
    ["a Date", new Date(0), "a Date"],
    ["an Error", new Error("x"), "a Error"],
    ["a boxed number", Object(1), "a Number"],
    ["a typed array", new Uint8Array(1), "a Uint8Array"],
    ["a promise", Promise.resolve(1), "a Promise"],
  ])("%s is refused at the top and below", async (_, value, what) => {
    const top = await checkOutput(anything, value);
    expect(top.ok).toBe(false);
    const below = await checkOutput(anything, { a: [value] });
    expect(below.ok ? "" : below.findings[0]?.message).toContain(`result.a[0] is ${what}`);
  });

  test("a cycle is refused, the same object twice is not", async () => {
    expect(await paths(cyclic)).toEqual(["result.self.back"]);
    const shared = { x: 1 };
    expect(await paths({ a: shared, b: [shared, shared] })).toEqual([]);
  });

  test("nesting is bounded, deep enough for honest data", async () => {
    expect(await paths(nested(400))).toEqual([]);
    expect(await paths(nested(100_000))).toHaveLength(1);
  });

  test("objects without a prototype and objects of another realm are plain", async () => {
    const bare = Object.assign(Object.create(null), { a: 1 });
    expect(await checkOutput(anything, bare)).toEqual({ ok: true, value: { a: 1 } });
    const { runInNewContext } = await import("node:vm");
    expect(await checkOutput(anything, runInNewContext("({a: [{b: 1}]})"))).toEqual({
      ok: true,
      value: { a: [{ b: 1 }] },
    });
  });
});

describe("fault J3, case J07: JSON has no undefined, NaN or Infinity", () => {
  test("NaN and a Date are refused with their paths, all at once", async () => {
    expect(await paths({ a: Number.NaN, b: undefined, c: new Date(0), d: -0, e: [Infinity] })).toEqual([
      "result.a",
      "result.c",
      "result.e[0]",
    ]);
  });

  test("undefined fields are dropped and -0 becomes 0", async () => {
    const checked = await checkOutput(anything, { b: undefined, d: -0, e: { f: undefined } });
    expect(checked).toEqual({ ok: true, value: { d: 0, e: {} } });
    expect(checked.ok && Object.is(checked.value["d"], 0) && !("b" in checked.value)).toBe(true);
  });

  test.each([
    ["bigint", { a: 1n }],
    ["function", { a: () => 1 }],
    ["toJSON", { a: { toJSON: () => 1 } }],
    ["symbol", { a: Symbol("x") }],
    ["symbol key", { a: { [Symbol("x")]: 1 } }],
    ["undefined in a list", { a: [undefined] }],
    ["hole", { a: Array(1) }],
    ["lone surrogate", { a: "\ud800" }],
    ["lone surrogate in a key", { "\udc00": 1 }],
  ])("%s is refused", async (_, value) => {
    expect(await paths(value)).toHaveLength(1);
  });

  test("a Date is text where the schema says so", async () => {
    const task = { output: z.object({ when: z.iso.datetime() }) };
    const value = { when: new Date(0).toISOString() };
    expect(await checkOutput(task, value)).toEqual({ ok: true, value });
  });

  property.prop([fc.jsonValue()])("what JSON can hold is kept as it is, but for -0", (value) => {
    const plain = toPlainJson(value, "", "x");
    expect(plain.findings).toEqual([]);
    expect(JSON.stringify(plain.value)).toBe(JSON.stringify(value));
  });

  property.prop([fc.anything()])("what is accepted survives JSON unchanged", (value) => {
    const plain = toPlainJson(value, "", "x");
    if (plain.findings.length === 0) expect(JSON.parse(JSON.stringify(plain.value))).toStrictEqual(plain.value);
  });
});

describe("rule I3: the output schema", () => {
  const task = { output: z.object({ n: z.number(), note: z.string().default("none"), list: z.array(z.object({})) }) };

  test("the parsed result is returned, defaults filled in", async () => {
    expect(await checkOutput(task, { n: 1, list: [] })).toEqual({ ok: true, value: { n: 1, note: "none", list: [] } });
  });

  test("unknown fields are refused with their paths", async () => {
    const checked = await checkOutput(task, { n: 1, list: [{ x: 1 }], more: { y: 1 } });
    expect(checked.ok ? [] : checked.findings.map(({ path, code }) => `${path}: ${code}`)).toEqual([
      "result.list[0].x: output_invalid",
      "result.more: output_invalid",
    ]);
  });

  test("a strict schema's own refusal has the path and the code too", async () => {
    const strict = { output: z.strictObject({ a: z.number() }) };
    const checked = await checkOutput(strict, { a: 1, b: 2 });
    expect(checked.ok ? [] : checked.findings.map(({ path, code }) => `${path}: ${code}`)).toEqual([
      "result.b: output_invalid",
    ]);
  });

  test("a wrong value is refused", async () => {
    expect((await checkOutput(task, { n: "1", list: [] })).ok).toBe(false);
  });
});

describe("case J08: the size is measured before staging", () => {
  test("exactly the limit is accepted, one byte more is refused, naming both", () => {
    const atLimit = { a: "x".repeat(DEFAULT_OUTPUT_LIMIT_BYTES - '{"a":""}'.length) };
    expect(serializeOutput(atLimit)).toMatchObject({ ok: true, value: { sizeBytes: 3_000_000 } });
    const over = serializeOutput({ a: `${atLimit.a}x` });
    expect(over.ok ? "" : over.findings[0]?.code).toBe("output_too_large");
    expect(over.ok ? "" : over.findings[0]?.message).toMatch(/3000001 bytes, more than 3000000/);
  });

  test("the limit is a setting, and bytes count, not characters", () => {
    expect(serializeOutput({ a: "ä€😀" }, 17).ok).toBe(true);
    expect(serializeOutput({ a: "ä€😀" }, 16).ok).toBe(false);
  });

  property.prop([fc.string({ unit: "binary" })])("the size is that of the UTF-8 encoding", (text) => {
    expect(utf8SizeBytes(text)).toBe(new TextEncoder().encode(text).length);
  });
});
