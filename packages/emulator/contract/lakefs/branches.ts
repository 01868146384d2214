import { beforeAll, describe, expect, test } from "vitest";
import { pagination, results, stringAt } from "./client.ts";
import { lakefs } from "./under-test.ts";

describe("branches", () => {
  let repository = "";
  let base = "";
  beforeAll(async () => {
    repository = await lakefs().repository();
    base = `/repositories/${repository}/branches`;
  });

  const names = async (query: Record<string, string>): Promise<string[]> =>
    results(await lakefs().call("GET", base, { query })).map((one) => stringAt(one, "id"));

  test("a new one stands on its source's commit, which is the answer", async () => {
    const head = await lakefs().head(repository, "main");
    expect(await lakefs().branch(repository, "made")).toBe(head);
    expect((await lakefs().call("GET", `${base}/made`)).json).toEqual({ id: "made", commit_id: head });
  });

  test("a source may be a commit id, a short one, or steps back", async () => {
    await lakefs().branch(repository, "steps");
    const first = await lakefs().head(repository, "steps");
    await lakefs().commit(repository, "steps", { allow_empty: true });
    expect(await lakefs().branch(repository, "from-id", first)).toBe(first);
    expect(await lakefs().branch(repository, "from-short", first.slice(0, 12))).toBe(first);
    expect(await lakefs().branch(repository, "from-steps", "steps~1")).toBe(first);
  });

  test("hidden ones are listed only where that is asked for", async () => {
    const json = { name: "zz-hidden", source: "main", hidden: true };
    expect(await lakefs().call("POST", base, { json })).toMatchObject({ status: 201 });
    expect(await names({ prefix: "zz" })).toEqual([]);
    expect(await names({ prefix: "zz", show_hidden: "true" })).toEqual(["zz-hidden"]);
    expect(await lakefs().call("GET", `${base}/zz-hidden`)).toMatchObject({ status: 200 });
  });

  test.for([
    ["True", 200],
    ["1", 200],
    ["f", 200],
    ["yes", 400],
    ["", 400],
  ] as const)("a boolean parameter that says %j is answered %i", async ([value, status]) => {
    expect(await lakefs().call("GET", base, { query: { show_hidden: value } })).toMatchObject({ status });
  });

  test("the list is paged by name, with prefix and after", async () => {
    for (const name of ["page-a", "page-b", "page-c"]) await lakefs().branch(repository, name);
    const first = await lakefs().call("GET", base, { query: { prefix: "page-", amount: "2" } });
    expect(pagination(first)).toEqual({ has_more: true, max_per_page: 1000, next_offset: "page-b", results: 2 });
    expect(await names({ prefix: "page-", after: "page-b" })).toEqual(["page-c"]);
    expect(await names({ prefix: "page-", after: "zzz" })).toEqual([]);
  });

  test.for<[string, object, number, RegExp]>([
    ["a name that is taken", { name: "main", source: "main" }, 409, /branch already exists/],
    ["an unknown source", { name: "b", source: "nope" }, 404, /source reference 'nope': not found/],
    ["a name with a dot", { name: "a.b", source: "main" }, 400, /must consist of letters/],
    ["a name that begins with a dash", { name: "-a", source: "main" }, 400, /must consist of letters/],
    ["no source", { name: "b" }, 400, /"source" is missing/],
  ])("%s is refused", async ([, json, status, message]) => {
    const answer = await lakefs().call("POST", base, { json });
    expect(answer.status).toBe(status);
    expect(answer.message).toMatch(message);
  });

  test("one that is not there is 404, a name that none can have is 400", async () => {
    const missing = { status: 404, message: "branch not found" };
    expect(await lakefs().call("GET", `${base}/nope`)).toMatchObject(missing);
    expect(await lakefs().call("DELETE", `${base}/nope`)).toMatchObject(missing);
    expect(await lakefs().call("PUT", `${base}/nope`, { json: { type: "reset" } })).toMatchObject(missing);
    expect(await lakefs().call("GET", `${base}/nope/diff`)).toMatchObject(missing);
    expect(await lakefs().call("GET", `${base}/a%20b`)).toMatchObject({ status: 400 });
  });

  test("one goes away with what is staged on it; the default branch does not", async () => {
    await lakefs().branch(repository, "goes");
    await lakefs().put(repository, "goes", "a", "1");
    expect(await lakefs().call("DELETE", `${base}/goes`)).toMatchObject({ status: 204 });
    expect(await lakefs().call("GET", `${base}/goes`)).toMatchObject({ status: 404 });
    await lakefs().branch(repository, "goes");
    expect(await lakefs().paths(repository, "goes")).toEqual([]);
    const refused = { status: 403, message: "cannot delete repository default branch" };
    expect(await lakefs().call("DELETE", `${base}/main`)).toMatchObject(refused);
  });

  test("a reset forgets one object, a prefix, or all that is staged", async () => {
    await lakefs().branch(repository, "reset");
    for (const path of ["one", "dir/a", "dir/b", "rest"]) await lakefs().put(repository, "reset", path, "1");
    const reset = async (json: object): Promise<string[]> => {
      expect(await lakefs().call("PUT", `${base}/reset`, { json })).toMatchObject({ status: 204 });
      return lakefs().paths(repository, "reset");
    };
    expect(await reset({ type: "object", path: "nothing" })).toHaveLength(4);
    expect(await reset({ type: "object", path: "one" })).toEqual(["dir/a", "dir/b", "rest"]);
    expect(await reset({ type: "common_prefix", path: "dir/" })).toEqual(["rest"]);
    expect(await reset({ type: "reset" })).toEqual([]);
    const answer = await lakefs().call("PUT", `${base}/reset`, { json: { type: "what" } });
    expect(answer.status).toBe(400);
  });

  test("a hard reset points at another commit and keeps what is staged", async () => {
    await lakefs().branch(repository, "hard");
    const before = await lakefs().head(repository, "hard");
    await lakefs().put(repository, "hard", "a", "1");
    await lakefs().commit(repository, "hard");
    await lakefs().put(repository, "hard", "b", "1");
    const query = { ref: before };
    expect(await lakefs().call("PUT", `${base}/hard/hard_reset`, { query })).toMatchObject({ status: 204 });
    expect(await lakefs().head(repository, "hard")).toBe(before);
    expect(await lakefs().paths(repository, "hard")).toEqual(["b"]);
    const nowhere = await lakefs().call("PUT", `${base}/hard/hard_reset`, { query: { ref: "nope" } });
    expect(nowhere.status).toBe(404);
  });
});
