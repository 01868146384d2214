import { expect, test } from "vitest";
import { failureFrom } from "../../test/fake-http.ts";
import { fakeLakefs, fakeObject } from "../../test/fake-lakefs.ts";
import { contextTo } from "../../test/job-context.ts";
import { assertStored } from "./stored-data.ts";

const where = { repository: "r", commitId: "c1" };

/** A commit of four uploads, of which some have lost their data, and one never had any. */
async function commitWithout(...lost: readonly string[]) {
  const objects = new Map(["in/a", "in/b", "in/c"].map((key) => [key, fakeObject(key)]));
  objects.set("in/empty", fakeObject(""));
  const { endpoint, seen } = await fakeLakefs(
    { c1: objects },
    {
      intercept: (request, response) => {
        if (!lost.some((key) => request.target.endsWith(encodeURIComponent(key)))) return false;
        response.writeHead(410).end(JSON.stringify({ message: "No data" }));
        return true;
      },
    },
  );
  const uploads = [...objects].map(([key, { bytes }]) => ({ key, sizeBytes: bytes.length }));
  return { context: contextTo(endpoint), uploads, seen };
}

test("case G01: uploads whose data is there pass, by one request of one byte each", async () => {
  const { context, uploads, seen } = await commitWithout();
  await assertStored(context, where, uploads);
  expect(seen.map(({ headers }) => headers["range"])).toEqual(["bytes=0-0", "bytes=0-0", "bytes=0-0", undefined]);
});

test("case G01, fault K1: uploads whose data is gone before the merge are all named, and the retention rule is", async () => {
  const { context, uploads } = await commitWithout("in/c", "in/a");
  const error = await failureFrom(() => assertStored(context, where, uploads));
  expect(error).toMatchObject({ code: "staged_data_gone", names: ["in/a", "in/c"], terminal: false });
  expect(error).toMatchObject({ hint: expect.stringContaining("garbage collection") });
});

test("case G01: an answer that says nothing about the data is thrown as it is", async () => {
  const { context, uploads } = await commitWithout();
  const elsewhere = { ...where, commitId: "none" };
  expect(await failureFrom(() => assertStored(context, elsewhere, uploads))).toMatchObject({ code: "not_found" });
});
