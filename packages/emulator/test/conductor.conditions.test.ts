import { fc, test as property } from "@fast-check/vitest";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { isTruthy, parseCondition } from "../src/conductor/expressions/condition.ts";
import { parsePath, readPath } from "../src/conductor/expressions/path.ts";

const scope = { n: 3, s: "abc", t: true, z: 0, none: null, list: [1, 2, 3], loop: { iteration: 2, x: { v: 7 } } };

describe("loop conditions", () => {
  test.each([
    "if ($.loop['iteration'] < $.n) { true; } else { false; }",
    "if ($.loop.iteration >= $.n) { false } else if ($.z) { false } else { true }",
    "$.loop['iteration'] < 3 && $.s === 'abc'",
    "!($.loop.x.v == 7) || $.t",
    "$.list.length > 2 ? $.list[0] === 1 : false",
    "$['loop'][\"x\"].v % 2 == 1;",
    "($.n + 1) * 2 - -1 == 9",
    "'a' < 'b' && 10 > 9 && '10' > 9",
    "$.none == null",
    "false",
  ])("mean what JavaScript means: %s", (text) => {
    const condition = parseCondition(text);
    const expected: unknown = runInNewContext(text, { $: structuredClone(scope) });
    expect(condition === undefined ? "not read" : isTruthy(condition(scope))).toBe(Boolean(expected));
  });

  test.each([
    "f($.x)",
    "$.x = 1",
    "while (true) {}",
    "process.exit()",
    "$.list.map(x => x)",
    "`x`",
    "1 +",
    "(1",
    "",
    "$.a; $.b",
    "this",
    "$.constructor.constructor('x')()",
  ])("are not read beyond that: %s", (text) => {
    expect(parseCondition(text)).toBeUndefined();
  });

  test("fields of the language's own objects are not there", () => {
    expect(parseCondition("$.constructor")?.(scope)).toBeNull();
    expect(parseCondition("$.s.length")?.(scope)).toBeNull();
    expect(parseCondition("$.__proto__")?.(scope)).toBeNull();
  });

  const number = fc.integer({ min: -9, max: 9 });
  const comparison = fc
    .tuple(number, fc.constantFrom("<", "<=", ">", ">=", "==", "===", "!=", "!=="), number)
    .map(([a, sign, b]) => `(${a} ${sign} ${b})`);
  const expression = fc.letrec<{ expr: string }>((tie) => ({
    expr: fc.oneof(
      { depthSize: "small" },
      comparison,
      fc.tuple(tie("expr"), fc.constantFrom("&&", "||"), tie("expr")).map(([a, sign, b]) => `${a} ${sign} ${b}`),
      tie("expr").map((inner) => `!(${inner})`),
      fc.tuple(tie("expr"), tie("expr"), tie("expr")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    ),
  })).expr;

  property.prop([expression])("agree with JavaScript on any of them", (text) => {
    const condition = parseCondition(text);
    expect(condition).toBeDefined();
    expect(isTruthy(condition?.({}) ?? null)).toBe(Boolean(runInNewContext(text)));
  });

  property.prop([fc.string()])("never do anything but read or refuse", (text) => {
    const condition = parseCondition(text);
    if (condition !== undefined) condition(scope);
  });
});

describe("paths", () => {
  const found = (path: string): unknown => readPath(scope, parsePath(path) ?? []);

  test("find what they name", () => {
    expect(found("loop.x.v")).toBe(7);
    expect(found("$.list[-1]")).toBe(3);
    expect(found("list[1:]")).toEqual([2, 3]);
    expect(found("loop.*")).toEqual([2, { v: 7 }]);
    expect(found("['loop']['iteration']")).toBe(2);
    expect(found("nothing.at.all")).toBeNull();
    expect(found("s.length")).toBeNull();
    expect(found("toString")).toBeNull();
  });

  test.each(["a..b", "a[?(@.x)]", "a['x','y']", "a.min()", "a[", "a b", ".", "a."])(
    "are not read beyond that: %s",
    (path) => {
      expect(parsePath(path)).toBeUndefined();
    },
  );
});
