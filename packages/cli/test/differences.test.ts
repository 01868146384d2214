import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { differences } from "../src/differences.ts";
import { differenceLines } from "../src/output/difference-lines.ts";
import { oneLine } from "../src/output/finding-lines.ts";
import { modeFindings, slotFindings } from "../src/slots.ts";

describe("differences", () => {
  test("names the deepest place, by key and by index", () => {
    const old = { a: { b: [1, { c: 2 }], gone: null }, same: {} };
    const next = { same: {}, a: { b: [1, { c: 3 }], new: 1 } };
    expect(differences(old, next)).toEqual([
      { field: "a.b[1].c", old: 2, new: 3 },
      { field: "a.new", old: undefined, new: 1 },
      { field: "a.gone", old: null, new: undefined },
    ]);
  });

  test("lists of two lengths, and values of two kinds, differ as a whole", () => {
    expect(differences({ a: [1] }, { a: [1, 2] })).toEqual([{ field: "a", old: [1], new: [1, 2] }]);
    expect(differences([1], { 0: 1 })).toEqual([{ field: "", old: [1], new: { 0: 1 } }]);
  });

  test("a key that every object inherits is no key of its own", () => {
    expect(differences({}, JSON.parse('{"constructor": 1}'))).toEqual([
      { field: "constructor", old: undefined, new: 1 },
    ]);
  });

  property.prop([fc.jsonValue(), fc.jsonValue()])("are none exactly where two values are the same JSON", (a, b) => {
    const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    expect(differences(a, asJson(a))).toEqual([]);
    if (differences(a, b).length === 0) expect(asJson(b)).toEqual(asJson(a));
  });

  test("0 and -0 are one number", () => {
    expect(differences({ a: [0] }, { a: [-0] })).toEqual([]);
  });

  test("are shown bounded: at most 50 lines, and long values are cut", () => {
    const output = { write: () => undefined, paint: (_: string, text: string) => text };
    const many = Array.from({ length: 60 }, (_, index) => ({
      field: `f${index}`,
      old: "x".repeat(500),
      new: undefined,
    }));
    const lines = differenceLines(output, many);
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe("and 10 more");
    expect(lines[0]?.length).toBeLessThan(250);
    expect(lines[0]).toContain("-> (none)");
  });
});

test("what a module's author wrote brings no control character to the terminal", () => {
  const escape = String.fromCodePoint(27);
  expect(oneLine(`a${escape}[31mb\nc\u202Ed`)).toBe("a [31mb c d");
});

function task(name: string, readOnly: boolean) {
  return { name, workspace: { prefix: "a/", readOnly, pre: [], post: [] } };
}

test("PERAGO_EXECUTION_MODE=thread refuses tasks that write a workspace, by name, and takes the others", () => {
  const tasks = [{ name: "free" }, task("reader", true), task("writer", false)];
  expect(modeFindings({ executionMode: "thread" }, tasks.slice(0, 2))).toEqual([]);
  expect(modeFindings({ executionMode: "process" }, tasks)).toEqual([]);
  expect(modeFindings({ executionMode: "thread" }, tasks)).toMatchObject([
    { setting: "PERAGO_EXECUTION_MODE", message: expect.stringContaining(": writer"), severity: "error" },
  ]);
});

describe("slots", () => {
  const settings = (slotsPerTask: number, byTask: Record<string, number> = {}) => ({
    slotsPerTask,
    slotsByTask: new Map(Object.entries(byTask)),
  });

  test("9999 slots of one host are accepted, one more is refused", () => {
    expect(slotFindings(settings(9_998, { b: 1 }), ["a", "b"])).toEqual([]);
    expect(slotFindings(settings(9_998, { b: 2 }), ["a", "b"]).map(({ setting }) => setting)).toEqual(["-j"]);
  });

  test("a name that no task has is refused with the names there are", () => {
    expect(slotFindings(settings(1, { c: 1 }), ["a", "b"])).toMatchObject([
      { setting: "--slots", hint: "The tasks are: a, b." },
    ]);
  });
});
