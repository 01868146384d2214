import { describe, expect, it } from "vitest";
import { parseLintReports, withoutDescribe } from "./functions.ts";

function kept(text: string, marker = "@@"): number {
  const clean = text.replace(marker, "");
  const offsetBytes = Buffer.byteLength(text.slice(0, text.indexOf(marker)));
  return withoutDescribe([{ path: "a", message: "m", offsetBytes, line: 1 }], () => clean).length;
}

describe("withoutDescribe", () => {
  it("lets the callback of describe go, in each of its forms", () => {
    for (const text of [
      'describe("ü (x), y", @@() => {',
      'describe.concurrent("x", @@() => {',
      'describe("x", { timeout: 5 }, @@async () => {',
      'describe.each([1, 2])("x %s", @@(n) => {',
    ]) {
      expect(kept(text), text).toBe(0);
    }
  });

  it("keeps tests, functions and callbacks inside a describe", () => {
    for (const text of [
      "@@function describe() {",
      'it("describe(x), ", @@() => {',
      'describe("x", () => {\n  it("y", @@() => {',
      'describe("x", () => {\n  test.prop([a])("y", @@() => {',
      "const describeAll = @@() => {",
    ]) {
      expect(kept(text), text).toBe(1);
    }
  });
});

it("reads oxlint's report and refuses anything else", () => {
  const span = { offset: 5, length: 2, line: 3, column: 1 };
  const report = { diagnostics: [{ message: "m", filename: "a.ts", labels: [{ span }] }] };
  expect(parseLintReports(JSON.stringify(report))).toEqual([{ path: "a.ts", message: "m", offsetBytes: 5, line: 3 }]);
  expect(() => parseLintReports("{}")).toThrow("oxlint printed no report");
});
