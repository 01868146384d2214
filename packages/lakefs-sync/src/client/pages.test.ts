import { expect, test } from "vitest";
import { collectPages, walkPages } from "./pages.ts";
import type { Page } from "./types.ts";

function serve(entryCount: number): (after: string) => Promise<Page<number>> {
  return (after) => {
    const start = after === "" ? 0 : Number(after);
    const end = Math.min(entryCount, start + 1000);
    const results = Array.from({ length: end - start }, (_, index) => start + index);
    return Promise.resolve({ results, hasMore: end < entryCount, nextOffset: String(end) });
  };
}

test.for([0, 1, 999, 1000, 1001, 2000, 2001].flatMap((count) => [true, false].map((ahead) => [count, ahead] as const)))(
  "case B12: all of %i entries are walked, in order (page ahead: %s)",
  async ([entryCount, ahead]) => {
    const limit = { operation: "list", subject: "x", maxEntryCount: 5000 };
    const all = await collectPages(walkPages("list", "x", serve(entryCount), { ahead }), limit);
    expect(all).toEqual(Array.from({ length: entryCount }, (_, index) => index));
  },
);

test("case B12: a page that does not move on is an error, not an endless loop", async () => {
  const stuck = (): Promise<Page<number>> => Promise.resolve({ results: [1], hasMore: true, nextOffset: "" });
  const walk = collectPages(walkPages("list", "x", stuck), { operation: "list", subject: "x", maxEntryCount: 10 });
  await expect(walk).rejects.toMatchObject({ code: "bad_response" });
});

test("a list longer than its bound is refused", async () => {
  const limit = { operation: "list", subject: "x", maxEntryCount: 1500 };
  await expect(collectPages(walkPages("list", "x", serve(3000)), limit)).rejects.toThrow("more than 1500");
});

test("a walk ahead asks for one page more than it gave, and one that is left asks for no more", async () => {
  const asked: string[] = [];
  const fetchPage = (after: string): Promise<Page<number>> => {
    asked.push(after);
    return asked.length > 1 ? Promise.reject(new Error("down")) : serve(5000)(after);
  };
  for await (const page of walkPages("list", "x", fetchPage, { ahead: true })) {
    expect([page.length, asked]).toEqual([1000, ["", "1000"]]);
    break;
  }
  expect(asked.length).toBe(2);
  const again = collectPages(walkPages("list", "x", fetchPage, { ahead: true }), { ...limitOf(5000) });
  await expect(again).rejects.toThrow("down");
});

function limitOf(maxEntryCount: number): { operation: string; subject: string; maxEntryCount: number } {
  return { operation: "list", subject: "x", maxEntryCount };
}
