import { beforeAll, describe, expect, test } from "vitest";
import { stringAt } from "./client.ts";
import { lakefs } from "./under-test.ts";

const WAIT_MS = 20_000;

describe("branch protection", () => {
  let repository = "";
  let main = "";
  let rules = "";
  let first = "";
  beforeAll(async () => {
    repository = await lakefs().repository();
    main = `/repositories/${repository}/branches/main`;
    rules = `/repositories/${repository}/settings/branch_protection`;
    await lakefs().put(repository, "main", "a", "1");
    first = await lakefs().commit(repository, "main");
    await lakefs().branch(repository, "side");
    await lakefs().put(repository, "side", "b", "1");
    await lakefs().commit(repository, "side");
  });

  /** A write that changes nothing, so that it may be tried again and again. */
  const removeNothing = async (): Promise<number> =>
    (await lakefs().call("DELETE", `${main}/objects`, { query: { path: "never" } })).status;
  const upload = async (branch: string): Promise<number> => {
    const call = { query: { path: "p" }, body: "1", headers: { "content-type": "text/plain" } };
    return (await lakefs().call("POST", `/repositories/${repository}/branches/${branch}/objects`, call)).status;
  };

  test("rules are set as a whole; their tag guards against another writer", async () => {
    const before = await lakefs().call("GET", rules);
    expect(before).toMatchObject({ status: 200, json: [] });
    const json = [{ pattern: "main" }, { pattern: "rel-*" }];
    expect(await lakefs().call("PUT", rules, { json })).toMatchObject({ status: 204 });
    const after = await lakefs().call("GET", rules);
    expect(after.json).toEqual(expect.arrayContaining(json));
    expect(after.headers.get("etag")).toMatch(/./);
    const stale = { json: [], headers: { "if-match": "c3RhbGU=" } };
    expect(await lakefs().call("PUT", rules, stale)).toMatchObject({ status: 412, message: "Precondition failed" });
    const fresh = { json, headers: { "if-match": after.headers.get("etag") ?? "" } };
    expect(await lakefs().call("PUT", rules, fresh)).toMatchObject({ status: 204 });
    expect(await lakefs().call("PUT", rules, { json: {} })).toMatchObject({ status: 400 });
  });

  test("writes, deletes, resets and commits on a protected branch are 403", async () => {
    // The real server sees new rules some seconds late.
    await expect.poll(removeNothing, { timeout: WAIT_MS, interval: 200 }).toBe(403);
    expect(await upload("main")).toBe(403);
    const refused = { status: 403, message: "cannot write to protected branch" };
    expect(await lakefs().call("DELETE", `${main}/objects`, { query: { path: "a" } })).toMatchObject(refused);
    expect(await lakefs().call("PUT", main, { json: { type: "reset" } })).toMatchObject(refused);
    const metadata = { query: { path: "a" }, json: { set: {} } };
    expect(await lakefs().call("PUT", `${main}/objects/stat/user_metadata`, metadata)).toMatchObject(refused);
    const many = await lakefs().call("POST", `${main}/objects/delete`, { json: { paths: ["a", "never"] } });
    expect(many.json).toEqual({
      errors: ["a", "never"].map((path) => ({ message: refused.message, path, status_code: 403 })),
    });
    const commit = { json: { message: "m", allow_empty: true } };
    const answer = await lakefs().call("POST", `${main}/commits`, commit);
    expect(answer).toMatchObject({ status: 403, message: "cannot commit to protected branch" });
    const reset = await lakefs().call("PUT", `${main}/hard_reset`, { query: { ref: first } });
    expect(reset).toMatchObject({ status: 403, message: "protected branch" });
    expect(await lakefs().head(repository, "main")).toBe(first);
  });

  test("patterns are for the branches that they name", async () => {
    await lakefs().branch(repository, "rel-1");
    expect(await upload("rel-1")).toBe(403);
    await lakefs().branch(repository, "other");
    expect(await upload("other")).toBe(201);
  });

  test("merges, reverts and cherry-picks pass", async () => {
    const merged = await lakefs().merge(repository, "side", "main", { squash_merge: true });
    expect(merged).toMatchObject({ status: 200 });
    const revert = { json: { ref: stringAt(merged.json, "reference"), parent_number: 0 } };
    expect(await lakefs().call("POST", `${main}/revert`, revert)).toMatchObject({ status: 204 });
    const pick = { json: { ref: stringAt(merged.json, "reference") } };
    expect(await lakefs().call("POST", `${main}/cherry-pick`, pick)).toMatchObject({ status: 201 });
    expect(await lakefs().read(repository, "main", "b")).toBe("1");
  });

  test("a protected branch can be deleted", async () => {
    expect(await lakefs().call("DELETE", `/repositories/${repository}/branches/rel-1`)).toMatchObject({
      status: 204,
    });
  });
});
