import { createHash } from "node:crypto";
import { appendFileSync, closeSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { putFile, tempFolder } from "../../test/temp-folder.ts";
import { chunkSizeBytes, hashFile, openForRead } from "./read-file.ts";

const scratch = Buffer.allocUnsafe(chunkSizeBytes);
const md5 = (bytes: Buffer): string => createHash("md5").update(bytes).digest("hex");

async function hashOf(path: string, during: () => void = () => undefined): Promise<string> {
  const file = openForRead(path);
  try {
    during();
    return (await hashFile("f", file, scratch, () => Promise.resolve())).hash;
  } finally {
    closeSync(file.descriptor);
  }
}

test.for([0, 1, chunkSizeBytes - 1, chunkSizeBytes, chunkSizeBytes + 1, 3 * chunkSizeBytes])(
  "a file of %i bytes has the MD5 of its bytes",
  async (sizeBytes) => {
    const folder = tempFolder();
    const bytes = Buffer.alloc(sizeBytes, "xyz");
    putFile(folder, "f", bytes);
    expect(await hashOf(join(folder, "f"))).toBe(md5(bytes));
  },
);

test.for([10, 2 * chunkSizeBytes])(
  "rule T8: a file of %i bytes that grows, shrinks or is rewritten meanwhile fails",
  async (sizeBytes) => {
    const path = join(tempFolder(), "f");
    const changes = [
      () => appendFileSync(path, "more"),
      () => writeFileSync(path, "less"),
      () => {
        writeFileSync(path, Buffer.alloc(sizeBytes, "b"));
        utimesSync(path, 1, 1);
      },
    ];
    for (const change of changes) {
      writeFileSync(path, Buffer.alloc(sizeBytes, "a"));
      await expect(hashOf(path, change)).rejects.toMatchObject({ code: "file_changed", names: ["f"] });
    }
  },
);

test("case T02: a link is not followed on opening", () => {
  const folder = tempFolder();
  symlinkSync("/etc/passwd", join(folder, "l"));
  expect(() => openForRead(join(folder, "l"))).toThrow("ELOOP");
});
