import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { createDiskCheck, diskReason, readDiskSpace } from "./disk-space.ts";

describe("disk space", () => {
  it("case T08: a disk below the floor says how much is left, one at the floor says nothing", () => {
    expect(diskReason({ freeBytes: 1024 ** 2 * 511 }, 1024 ** 2 * 512)).toBe(
      "the workspace disk has 511 MB free, less than 512 MB",
    );
    expect(diskReason({ freeBytes: 1024 ** 2 * 512, freeFileCount: 5_000 }, 1024 ** 2 * 512)).toBeUndefined();
    expect(diskReason({ freeBytes: 1024 ** 4, freeFileCount: 3 }, 1)).toContain("3 free file records");
  });

  it("reads the real disk", async () => {
    expect((await readDiskSpace(tmpdir())).freeBytes).toBeGreaterThan(0);
    expect(await createDiskCheck({ root: tmpdir(), minFreeBytes: 1 })()).toBeUndefined();
  });

  it("a disk that cannot be read is full", async () => {
    expect(await createDiskCheck({ root: "/nowhere/at/all", minFreeBytes: 1 })()).toContain("ENOENT");
  });
});
