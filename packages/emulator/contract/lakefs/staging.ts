import { beforeAll, describe, expect, test } from "vitest";
import { results, stringAt } from "./client.ts";
import { lakefs } from "./under-test.ts";

describe("staging", () => {
  let repository = "";
  let branch = "";
  beforeAll(async () => {
    repository = await lakefs().repository();
    branch = `/repositories/${repository}/branches/main`;
    await lakefs().put(repository, "main", "changed", "1");
    await lakefs().put(repository, "main", "removed", "four");
    await lakefs().put(repository, "main", "same", "1");
    await lakefs().commit(repository, "main");
  });

  test("the diff of a branch is what a commit would change: nothing for equal content", async () => {
    await lakefs().put(repository, "main", "changed", "22");
    await lakefs().put(repository, "main", "same", "1");
    await lakefs().put(repository, "main", "dir/added", "333");
    await lakefs().put(repository, "main", "dir/passing", "1");
    for (const path of ["removed", "dir/passing"]) {
      await lakefs().call("DELETE", `${branch}/objects`, { query: { path } });
    }
    const answer = await lakefs().call("GET", `${branch}/diff`);
    expect(results(answer)).toEqual([
      { path: "changed", path_type: "object", size_bytes: 2, type: "changed" },
      { path: "dir/added", path_type: "object", size_bytes: 3, type: "added" },
      expect.objectContaining({ path: "removed", path_type: "object", type: "removed" }),
    ]);
    const paged = await lakefs().call("GET", `${branch}/diff`, { query: { after: "changed", amount: "1" } });
    expect(paged.json).toMatchObject({
      pagination: { has_more: true, next_offset: "dir/added" },
      results: [{ path: "dir/added" }],
    });
    const folders = await lakefs().call("GET", `${branch}/diff`, { query: { delimiter: "/", prefix: "d" } });
    expect(results(folders)).toEqual([{ path: "dir/", path_type: "common_prefix", type: "prefix_changed" }]);
    const commit = await lakefs().commit(repository, "main");
    expect(results(await lakefs().call("GET", `${branch}/diff`))).toEqual([]);
    expect(await lakefs().paths(repository, commit)).toEqual(["changed", "dir/added", "same"]);
  });

  test("an entry's identity is size, checksum, content type and metadata", async () => {
    const kinds = async (): Promise<string[]> =>
      results(await lakefs().call("GET", `${branch}/diff`)).map((one) => stringAt(one, "type"));
    await lakefs().put(repository, "main", "same", "1", "text/plain");
    expect(await kinds()).toEqual([]);
    await lakefs().put(repository, "main", "same", "1", "text/x-other");
    expect(await kinds()).toEqual(["changed"]);
    const call = {
      query: { path: "same" },
      body: "1",
      headers: { "content-type": "text/plain", "x-lakefs-meta-k": "v" },
    };
    await lakefs().call("POST", `${branch}/objects`, call);
    expect(await kinds()).toEqual(["changed"]);
    await lakefs().call("PUT", branch, { json: { type: "reset" } });
  });

  test("an address for bytes is given, not presigned", async () => {
    const plain = await lakefs().call("GET", `${branch}/staging/backing`, { query: { path: "x" } });
    expect(plain.status).toBe(200);
    expect(stringAt(plain.json, "physical_address")).toMatch(/^local:\/\//);
    const query = { path: "x", presign: "true" };
    expect(await lakefs().call("GET", `${branch}/staging/backing`, { query })).toMatchObject({ status: 500 });
  });

  test("an object can be linked to a given address; without its bytes a download is 410", async () => {
    const query = { path: "linked" };
    const given = await lakefs().call("GET", `${branch}/staging/backing`, { query });
    const staging = { physical_address: stringAt(given.json, "physical_address") };
    const json = { staging, checksum: '"aa"', size_bytes: 3 };
    const shown = { path: "linked", checksum: "aa", size_bytes: 3 };
    const answer = await lakefs().call("PUT", `${branch}/staging/backing`, { query, json });
    expect(answer).toMatchObject({ status: 200, json: { ...shown, ...staging } });
    const stat = await lakefs().call("GET", `/repositories/${repository}/refs/main/objects/stat`, { query });
    expect(stat).toMatchObject({ status: 200, json: shown });
    const download = await lakefs().call("GET", `/repositories/${repository}/refs/main/objects`, { query });
    expect(download).toMatchObject({ status: 410, message: "No data" });
    const unnamed = { query, json: { ...json, checksum: "" } };
    expect(await lakefs().call("PUT", `${branch}/staging/backing`, unnamed)).toMatchObject({ status: 400 });
  });
});
