import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { putFile, tempFolder } from "../../test/temp-folder.ts";
import { SyncError } from "../errors.ts";
import { listFolder } from "./list-folder.ts";

test("a folder of plain files is listed in order, dot files too", () => {
  const folder = tempFolder();
  for (const path of ["b.txt", "a/c.txt", ".env"]) putFile(folder, path, "x");
  expect(listFolder(folder, "/data")).toEqual([".env", "a/c.txt", "b.txt"]);
});

test("rules T6, T7, T11: links, hook files at the root of a repository and long keys are refused, and named", () => {
  const linked = tempFolder();
  symlinkSync("nowhere", join(linked, "link"));
  expect(() => listFolder(linked, "/")).toThrow('"link" is a symbolic link');
  const hooks = tempFolder();
  putFile(hooks, "_lakefs_actions/fence.yaml", "x");
  expect(() => listFolder(hooks, "/")).toThrow(SyncError);
  expect(listFolder(hooks, "/data")).toEqual(["_lakefs_actions/fence.yaml"]);
  const long = tempFolder();
  putFile(long, "a", "x");
  expect(() => listFolder(long, Array.from({ length: 5 }, () => "p".repeat(250)).join("/"))).toThrow(
    "keys of over 1024 bytes",
  );
});
