import { expect, test } from "vitest";
import { breathe } from "../transfer/bounded.ts";
import type { FillItem } from "./fill-content.ts";
import { FillQueue } from "./fill-queue.ts";

function items(...names: readonly string[]): FillItem[] {
  return names.map((name) => ({ contentId: name, absolutePath: name, sizeBytes: 1, md5: "", mark: undefined }));
}

function queue() {
  const filled: string[] = [];
  const state = { isIdle: false };
  const fill = async (item: FillItem, pause: () => Promise<void>): Promise<void> => {
    await pause();
    filled.push(item.contentId);
  };
  const made = new FillQueue({ fill, pause: breathe, isIdle: () => state.isIdle });
  const settle = (workspaceId: number): Promise<void> =>
    made.settle(workspaceId, (item) => {
      filled.push(`last ${item.contentId}`);
      return Promise.resolve();
    });
  return { queue: made, filled, state, settle };
}

async function breaths(count: number): Promise<void> {
  for (let breath = 0; breath < count; breath += 1) await breathe();
}

test("nothing is filled while there is something better to do, and all of it afterwards", async () => {
  const { queue: waiting, filled, state } = queue();
  waiting.add(1, items("a", "b"));
  await breaths(50);
  expect(filled).toEqual([]);
  state.isIdle = true;
  await expect.poll(() => filled).toEqual(["a", "b"]);
});

test("what is left of a folder that goes is filled at once, and of no other", async () => {
  const { queue: waiting, filled, settle } = queue();
  waiting.add(1, items("a", "b"));
  waiting.add(2, items("c"));
  await settle(1);
  expect(filled).toEqual(["last a", "last b"]);
});

test("a filling that waits for its turn is ended before its folder goes", async () => {
  const { queue: waiting, filled, state, settle } = queue();
  state.isIdle = true;
  waiting.add(1, items("a", "b"));
  // The first has begun when the queue has looked at its items.
  await breaths(2);
  state.isIdle = false;
  await settle(1);
  expect(filled).toEqual(["a", "last b"]);
});
