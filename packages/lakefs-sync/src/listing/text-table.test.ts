import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { maxTextSizeBytes, TextTable } from "./text-table.ts";

const texts = fc.uniqueArray(fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()));

property.prop([texts, fc.string()])(
  "a text is found in the row that it was added to, and no other is found",
  (all, other) => {
    const table = new TextTable();
    expect(all.map((text) => table.add(text))).toEqual(all.map((_, index) => index));
    expect(all.map((text) => table.find(text))).toEqual(all.map((_, index) => index));
    expect(all.map((_, index) => table.get(index))).toEqual(all);
    expect(table.find(other)).toBe(all.includes(other) ? all.indexOf(other) : undefined);
  },
);

test("texts keep their rows while the table grows over many blocks", () => {
  const table = new TextTable();
  const textOf = (row: number): string => `${"directory/".repeat(row % 30)}größe-${row}`;
  for (let row = 0; row < 20_000; row += 1) table.add(textOf(row));
  for (let row = 0; row < 20_000; row += 7)
    expect([table.get(row), table.find(textOf(row))]).toEqual([textOf(row), row]);
  expect([table.count, table.find("nothing")]).toEqual([20_000, undefined]);
});

test("a text that fits no block and a row that is not there are refused", () => {
  const table = new TextTable();
  table.add("x".repeat(maxTextSizeBytes));
  expect(table.get(0).length).toBe(maxTextSizeBytes);
  expect(() => table.add("x".repeat(maxTextSizeBytes + 1))).toThrow(RangeError);
  expect(() => table.get(1)).toThrow(RangeError);
});
