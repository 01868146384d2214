import { expect, test } from "vitest";
import { tempFolder } from "../../test/temp-folder.ts";
import { diskError } from "./disk-error.ts";

const withCode = (code: string): Error => Object.assign(new Error(`${code}: bad, open '/secret/path'`), { code });

test.for([
  ["ENOSPC", "disk_full"],
  ["EDQUOT", "disk_full"],
  ["EMFILE", "disk_limit"],
  ["ENFILE", "disk_limit"],
  ["EACCES", "disk_denied"],
  ["EROFS", "disk_denied"],
  ["EIO", "disk_error"],
] as const)("case T08 fault G1: %s is %s, names the file and no absolute path", ([code, wanted]) => {
  const folder = tempFolder();
  const error = diskError(withCode(code), folder, "a/b");
  expect(error).toMatchObject({ code: wanted, names: ["a/b"], terminal: false });
  expect(String(error)).not.toContain(folder);
  expect(String(error)).not.toContain("/secret");
});

test("case T08: a full disk says how much is free", () => {
  expect(String(diskError(withCode("ENOSPC"), tempFolder(), "a"))).toMatch(/\d+ MiB free of \d+ MiB, \d+ inodes free/);
});

test("what is no disk error stays what it is", () => {
  for (const error of [new Error("x"), withCode("ERR_INVALID_ARG_TYPE"), withCode("UND_ERR_SOCKET")]) {
    expect(diskError(error, "/x", "a")).toBe(error);
  }
});
