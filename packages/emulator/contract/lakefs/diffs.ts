import { beforeAll, describe, expect, test } from "vitest";
import { pagination, results, stringAt } from "./client.ts";
import { lakefs } from "./under-test.ts";

describe("diffs", () => {
  let repository = "";
  let base = "";
  beforeAll(async () => {
    repository = await lakefs().repository();
    for (const path of ["both", "left", "right", "right-gone", "dir/same"]) {
      await lakefs().put(repository, "main", path, "1");
    }
    base = await lakefs().commit(repository, "main");
    for (const name of ["one", "two"]) await lakefs().branch(repository, name);
    await lakefs().put(repository, "one", "both", "one");
    await lakefs().put(repository, "one", "left", "one");
    await lakefs().put(repository, "two", "both", "two");
    await lakefs().put(repository, "two", "right", "two");
    await lakefs().put(repository, "two", "dir/new", "two");
    const gone = { query: { path: "right-gone" } };
    await lakefs().call("DELETE", `/repositories/${repository}/branches/two/objects`, gone);
    for (const name of ["one", "two"]) await lakefs().commit(repository, name);
  });

  const diff = async (left: string, right: string, query: Record<string, string> = {}): Promise<string[]> => {
    const answer = await lakefs().call("GET", `/repositories/${repository}/refs/${left}/diff/${right}`, { query });
    return results(answer).map((one) => `${stringAt(one, "type")} ${stringAt(one, "path")}`);
  };

  test("two dots compare two refs", async () => {
    expect(await diff("one", "two", { type: "two_dot" })).toEqual([
      "changed both",
      "added dir/new",
      "changed left",
      "changed right",
      "removed right-gone",
    ]);
    expect(await diff("two", "two", { type: "two_dot" })).toEqual([]);
  });

  test("three dots show what a merge would bring, and conflicts", async () => {
    const expected = ["conflict both", "added dir/new", "changed right", "removed right-gone"];
    expect(await diff("one", "two", { type: "three_dot" })).toEqual(expected);
    expect(await diff("one", "two")).toEqual(expected);
    expect(await diff("two", "one")).toEqual(["conflict both", "changed left"]);
    expect(await diff("one", base)).toEqual([]);
  });

  test("a diff is paged, with prefix and delimiter, and says sizes", async () => {
    const path = `/repositories/${repository}/refs/${base}/diff/two`;
    const first = await lakefs().call("GET", path, { query: { type: "two_dot", amount: "2" } });
    expect(pagination(first)).toMatchObject({ has_more: true, next_offset: "dir/new", results: 2 });
    expect(results(first)[1]).toEqual({ path: "dir/new", path_type: "object", size_bytes: 3, type: "added" });
    expect(await diff(base, "two", { type: "two_dot", after: "dir/new" })).toEqual([
      "changed right",
      "removed right-gone",
    ]);
    expect(await diff(base, "two", { type: "two_dot", prefix: "dir/" })).toEqual(["added dir/new"]);
    expect(await diff(base, "two", { type: "two_dot", delimiter: "/" })).toEqual([
      "changed both",
      "prefix_changed dir/",
      "changed right",
      "removed right-gone",
    ]);
  });

  test("the right side's stat comes where it is asked for", async () => {
    const path = `/repositories/${repository}/refs/${base}/diff/two`;
    const query = { type: "two_dot", include_right_stats: "true", amount: "1" };
    const [changed] = results(await lakefs().call("GET", path, { query }));
    const right = { content_type: "text/plain", checksum: "b8a9f715dbb64fd5c56e7783c6820a61", metadata: {} };
    expect(changed).toMatchObject({ path: "both", right });
  });

  test("uncommitted changes are no part of a diff between refs", async () => {
    await lakefs().branch(repository, "dirty", base);
    await lakefs().put(repository, "dirty", "left", "dirty");
    expect(await diff(base, "dirty", { type: "two_dot" })).toEqual([]);
  });

  test("an unknown ref is 404, an unknown type 400", async () => {
    const path = `/repositories/${repository}/refs/one/diff`;
    expect(await lakefs().call("GET", `${path}/nope`)).toMatchObject({ status: 404 });
    expect(await lakefs().call("GET", `${path}/nope`, { query: { type: "two_dot" } })).toMatchObject({ status: 404 });
    expect(await lakefs().call("GET", `${path}/two`, { query: { type: "four" } })).toMatchObject({ status: 400 });
  });

  test("the merge base of two refs can be read; source and destination are named the wrong way round", async () => {
    const answer = await lakefs().call("GET", `/repositories/${repository}/refs/one/merge/two`);
    expect(answer.json).toEqual({
      base_commit_id: base,
      source_commit_id: await lakefs().head(repository, "two"),
      destination_commit_id: await lakefs().head(repository, "one"),
    });
  });
});
