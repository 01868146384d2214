import { randomBytes } from "node:crypto";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fc, test as property } from "@fast-check/vitest";
import { expect, test } from "vitest";
import { tempFolder } from "../../test/temp-folder.ts";
import { PrefixSums } from "./prefix-sums.ts";
import { chunkSizeBytes } from "./read-file.ts";

const mebibyte = 1024 * 1024;
const content = randomBytes(2 * mebibyte + 12_345);
const scratch = Buffer.allocUnsafe(chunkSizeBytes);

/** The sums of some bytes that come in pieces of one size. */
function sumsOf(bytes: Buffer, pieceSizeBytes = 64 * 1024): PrefixSums {
  const sums = new PrefixSums();
  for (let at = 0; at < bytes.length; at += pieceSizeBytes) sums.add(bytes.subarray(at, at + pieceSizeBytes));
  return sums;
}

/** Whether a file with these bytes is known to differ, and how many pieces of it were read for that. */
async function differs(sums: PrefixSums, bytes: Buffer): Promise<{ isOther: boolean; pieceCount: number }> {
  const path = join(tempFolder(), "file");
  writeFileSync(path, bytes);
  const descriptor = openSync(path, "r");
  let pieceCount = 0;
  try {
    const isOther = await sums.differFrom(descriptor, scratch, () => {
      pieceCount += 1;
      return Promise.resolve();
    });
    return { isOther, pieceCount };
  } finally {
    closeSync(descriptor);
  }
}

property.prop([fc.nat({ max: content.length - 1 }), fc.integer({ min: 1, max: 3 * mebibyte })], { numRuns: 30 })(
  "rule R2: one changed byte is seen wherever it is, and bytes that are the same never seem to differ",
  async (at, pieceSizeBytes) => {
    const changed = Buffer.from(content);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const sums = sumsOf(content, pieceSizeBytes);
    expect(await differs(sums, changed)).toMatchObject({ isOther: true });
    expect(await differs(sums, content)).toMatchObject({ isOther: false });
  },
);

test("a file is read no further than the MiB that differs", async () => {
  const changed = Buffer.from(content);
  changed[mebibyte + 5] = (changed[mebibyte + 5] ?? 0) ^ 1;
  const { isOther, pieceCount } = await differs(sumsOf(content), changed);
  expect({ isOther, read: pieceCount * chunkSizeBytes < 2 * mebibyte }).toEqual({ isOther: true, read: true });
});

test("a file that was cut differs, and sums that began anew say nothing of what came before", async () => {
  const sums = sumsOf(content);
  expect(await differs(sums, content.subarray(0, -1))).toMatchObject({ isOther: true });
  sums.clear();
  const rest = content.subarray(5);
  sums.add(rest);
  expect(await differs(sums, rest)).toMatchObject({ isOther: false });
});
