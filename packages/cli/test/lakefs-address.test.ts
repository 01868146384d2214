import { expect, test } from "vitest";
import { parseLakefsAddress } from "../src/lakefs-address.ts";

test("a repository, or a branch of it; everything else is no address", () => {
  expect(parseLakefsAddress("lakefs://songs")).toEqual({ repository: "songs" });
  expect(parseLakefsAddress("lakefs://songs/")).toEqual({ repository: "songs" });
  expect(parseLakefsAddress("lakefs://songs/main")).toEqual({ repository: "songs", branch: "main" });
  for (const text of [
    "songs",
    "lakefs://",
    "lakefs://Songs",
    "lakefs://songs/main/x",
    "lakefs://songs/-x",
    "s3://a/b",
  ]) {
    expect(parseLakefsAddress(text)).toBeUndefined();
  }
});
