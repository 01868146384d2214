import { beforeAll, describe, expect, test } from "vitest";
import { pagination, results, stringAt } from "./client.ts";
import { lakefs } from "./under-test.ts";

describe("repositories", () => {
  let name = "";
  beforeAll(async () => {
    name = await lakefs().repository({ default_branch: "trunk" });
  });

  test("a new one has one commit, without a parent, on its default branch", async () => {
    const answer = await lakefs().call("GET", `/repositories/${name}`);
    expect(answer.json).toMatchObject({ id: name, default_branch: "trunk", read_only: false });
    expect(await lakefs().getCommit(name, "trunk")).toMatchObject({
      message: "Repository created",
      meta_range_id: "",
      parents: [],
      metadata: {},
      generation: 1,
    });
    expect(await lakefs().paths(name, "trunk")).toEqual([]);
  });

  test("a name that is taken is refused with 409", async () => {
    const json = { name, storage_namespace: `local://perago-contract/${name}-other` };
    const answer = await lakefs().call("POST", "/repositories", { json });
    expect(answer).toMatchObject({ status: 409, message: "error creating repository: not unique" });
  });

  test("a storage namespace is used once, even where its repository is gone", async () => {
    const gone = await lakefs().repository();
    expect(await lakefs().call("DELETE", `/repositories/${gone}`)).toMatchObject({ status: 204 });
    const json = { name: `${gone}-again`, storage_namespace: `local://perago-contract/${gone}` };
    const answer = await lakefs().call("POST", "/repositories", { json });
    expect(answer.status).toBe(400);
    expect(answer.message).toMatch(/storage namespace already in use/);
  });

  test.for<[string, object, RegExp]>([
    ["a bad name", { name: "x", storage_namespace: "local://a/b" }, /name/],
    ["no namespace", { name: "some-name" }, /"storage_namespace" is missing/],
    ["another storage", { name: "some-name", storage_namespace: "s3://a/b" }, /invalid namespace/],
    ["a number for a name", { name: 3, storage_namespace: "local://a/b" }, /must be a string/],
  ])("%s is refused with 400", async ([, json, message]) => {
    const answer = await lakefs().call("POST", "/repositories", { json });
    expect(answer.status).toBe(400);
    expect(answer.message).toMatch(message);
  });

  test("a body that is no JSON is refused with 400", async () => {
    const headers = { "content-type": "application/json" };
    const answer = await lakefs().call("POST", "/repositories", { body: "{bad", headers });
    expect(answer.status).toBe(400);
    expect(answer.message).toMatch(/failed to decode request body/);
  });

  test("one that is not there is 404 for each request", async () => {
    const gone = "/repositories/no-such-repository";
    for (const [method, path] of [
      ["GET", gone],
      ["DELETE", gone],
      ["GET", `${gone}/branches`],
      ["GET", `${gone}/refs/main/objects/ls`],
      ["GET", `${gone}/commits/main`],
      ["GET", `${gone}/settings/branch_protection`],
    ] as const) {
      expect(await lakefs().call(method, path)).toMatchObject({ status: 404, message: "repository not found" });
    }
  });

  test("the list is paged by name", async () => {
    const second = await lakefs().repository();
    const [first, last] = [name, second].toSorted();
    const all = { prefix: "contract-", amount: "1000" };
    const names = results(await lakefs().call("GET", "/repositories", { query: all })).map((one) =>
      stringAt(one, "id"),
    );
    expect(names).toContain(first);
    expect(names.indexOf(String(first))).toBeLessThan(names.indexOf(String(last)));
    expect(names).toEqual(names.toSorted());
    const page = await lakefs().call("GET", "/repositories", { query: { prefix: name, amount: "1" } });
    expect(pagination(page)).toEqual({ has_more: false, max_per_page: 1000, next_offset: "", results: 1 });
  });

  test.for([
    ["1001", 400],
    ["-2", 400],
    ["many", 400],
    ["1000", 200],
    ["-1", 200],
    ["0", 200],
  ] as const)("amount %s is answered %i", async ([amount, status]) => {
    const answer = await lakefs().call("GET", "/repositories", { query: { amount, prefix: name } });
    expect(answer.status).toBe(status);
  });

  test("a read-only one refuses every write with 403 and goes away with force only", async () => {
    const locked = await lakefs().repository({ read_only: true });
    const base = `/repositories/${locked}`;
    expect((await lakefs().call("GET", base)).json).toMatchObject({ read_only: true });
    const refused = { status: 403, message: "read-only repository" };
    const branch = { json: { name: "b", source: "main" } };
    expect(await lakefs().call("POST", `${base}/branches`, branch)).toMatchObject(refused);
    const commit = { json: { message: "m", allow_empty: true } };
    expect(await lakefs().call("POST", `${base}/branches/main/commits`, commit)).toMatchObject(refused);
    expect(await lakefs().merge(locked, "main", "main")).toMatchObject(refused);
    const object = { query: { path: "a" }, body: "1", headers: { "content-type": "text/plain" } };
    expect(await lakefs().call("POST", `${base}/branches/main/objects`, object)).toMatchObject(refused);
    const one = { query: { path: "a" } };
    expect(await lakefs().call("DELETE", `${base}/branches/main/objects`, one)).toMatchObject(refused);
    const many = await lakefs().call("POST", `${base}/branches/main/objects/delete`, { json: { paths: ["a"] } });
    expect(many.json).toEqual({ errors: [{ message: "read-only repository", path: "a", status_code: 403 }] });
    expect(await lakefs().call("DELETE", base)).toMatchObject(refused);
    expect(await lakefs().call("DELETE", base, { query: { force: "true" } })).toMatchObject({ status: 204 });
    // The real server remembers it for some seconds.
    const status = async (): Promise<number> => (await lakefs().call("GET", base)).status;
    await expect.poll(status, { timeout: 15_000, interval: 200 }).toBe(404);
  });
});
