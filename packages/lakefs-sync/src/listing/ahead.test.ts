import { expect, test } from "vitest";
import { failureFrom } from "../../test/fake-http.ts";
import { ahead } from "./ahead.ts";

async function* pages(asked: number[], failAt = Number.POSITIVE_INFINITY): AsyncGenerator<number> {
  for (let page = 1; page <= 3; page += 1) {
    asked.push(page);
    await Promise.resolve();
    if (page === failAt) throw new Error(`page ${page}`);
    yield page;
  }
}

test("the next item is asked for before the one at hand is used; order and end are the same", async () => {
  const asked: number[] = [];
  const seen: [number, number][] = [];
  for await (const page of ahead(pages(asked))) {
    await Promise.resolve();
    seen.push([page, asked.length]);
  }
  expect(seen).toEqual([
    [1, 2],
    [2, 3],
    [3, 3],
  ]);
});

test("a failure comes after what was before it, and none is left alone where the reader stops", async () => {
  const seen: number[] = [];
  const read = async (stopAt: number): Promise<void> => {
    for await (const page of ahead(pages([], 2))) {
      seen.push(page);
      if (page === stopAt) return;
    }
  };
  expect(await failureFrom(() => read(9))).toMatchObject({ message: "page 2" });
  await read(1);
  expect(seen).toEqual([1, 1]);
});
