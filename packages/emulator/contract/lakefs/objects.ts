import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { lakefs } from "./under-test.ts";

describe("objects", () => {
  let repository = "";
  let objects = "";
  beforeAll(async () => {
    repository = await lakefs().repository();
    objects = `/repositories/${repository}/branches/main/objects`;
  });

  const stat = async (path: string): Promise<unknown> =>
    (await lakefs().call("GET", `/repositories/${repository}/refs/main/objects/stat`, { query: { path } })).json;

  test("a raw body is an object: MD5 as checksum, its type, metadata from headers with lower-case names", async () => {
    const answer = await lakefs().call("POST", objects, {
      query: { path: "raw/a.txt" },
      body: "hello",
      headers: { "content-type": "text/x-some", "x-lakefs-meta-Foo-Bar": "Val" },
    });
    const shown = {
      path: "raw/a.txt",
      path_type: "object",
      checksum: createHash("md5").update("hello").digest("hex"),
      size_bytes: 5,
      content_type: "text/x-some",
      metadata: { "foo-bar": "Val" },
    };
    expect(answer).toMatchObject({ status: 201, json: shown });
    expect(await stat("raw/a.txt")).toMatchObject(shown);
  });

  test("a form's part `content` is an object with the part's type", async () => {
    const form = new FormData();
    form.append("other", "not this");
    form.append("content", new Blob(["in a form\r\n--x"], { type: "text/x-part" }), "name.txt");
    const answer = await lakefs().call("POST", objects, { query: { path: "form" }, body: form });
    expect(answer).toMatchObject({ status: 201, json: { content_type: "text/x-part", size_bytes: 14 } });
    expect(await lakefs().read(repository, "main", "form")).toBe("in a form\r\n--x");
  });

  test("a form without `content` is a 500, as bad as that is", async () => {
    const form = new FormData();
    form.append("other", "x");
    const answer = await lakefs().call("POST", objects, { query: { path: "none" }, body: form });
    expect(answer.status).toBe(500);
    expect(answer.message).toMatch(/missing key 'content'/);
  });

  test("an empty body is an empty object; a path may hold any letters", async () => {
    for (const path of ["empty", "a b/ü€😀?#%25", "dir/", "x".repeat(1024)]) {
      await lakefs().put(repository, "main", path, "");
      expect(await stat(path)).toMatchObject({ path, size_bytes: 0, checksum: "d41d8cd98f00b204e9800998ecf8427e" });
    }
  });

  test("bytes come back as they were, also many", async () => {
    const bytes = Buffer.alloc(3_000_000, "0123456789abcdef\n");
    const query = { path: "big" };
    const headers = { "content-type": "application/octet-stream" };
    const answer = await lakefs().call("POST", objects, { query, body: new Uint8Array(bytes), headers });
    expect(answer.json).toMatchObject({ checksum: createHash("md5").update(bytes).digest("hex") });
    expect(await lakefs().read(repository, "main", "big")).toBe(bytes.toString());
  });

  test("an upload must name a path and a branch that is there", async () => {
    const body = { body: "1", headers: { "content-type": "text/plain" } };
    expect((await lakefs().call("POST", objects, body)).message).toMatch(/"path".*required but missing/);
    const empty = await lakefs().call("POST", objects, { ...body, query: { path: "" } });
    expect(empty).toMatchObject({ status: 400 });
    const elsewhere = `/repositories/${repository}/branches/nope/objects`;
    const answer = await lakefs().call("POST", elsewhere, { ...body, query: { path: "a" } });
    expect(answer).toMatchObject({ status: 404, message: "branch 'nope' not found" });
  });

  test("internal metadata has headers of its own", async () => {
    const headers = { "content-type": "text/plain", "x-lakefs-internal-Client-Mtime": "7" };
    const answer = await lakefs().call("POST", objects, { query: { path: "internal" }, body: "1", headers });
    expect(answer).toMatchObject({ status: 201, json: { metadata: { "::lakefs::client-mtime": "7" } } });
  });

  test("If-None-Match: * writes only where nothing is", async () => {
    const call = {
      query: { path: "once" },
      body: "1",
      headers: { "if-none-match": "*", "content-type": "text/plain" },
    };
    expect(await lakefs().call("POST", objects, call)).toMatchObject({ status: 201 });
    expect(await lakefs().call("POST", objects, call)).toMatchObject({ status: 412, message: "path already exists" });
  });

  test("user metadata can be replaced, and left out of answers", async () => {
    await lakefs().put(repository, "main", "meta", "1");
    const path = `${objects}/stat/user_metadata`;
    const json = { set: { k: "v" } };
    expect(await lakefs().call("PUT", path, { query: { path: "meta" }, json })).toMatchObject({ status: 204 });
    expect(await stat("meta")).toMatchObject({ metadata: { k: "v" } });
    const refs = `/repositories/${repository}/refs/main/objects/stat`;
    const bare = await lakefs().call("GET", refs, { query: { path: "meta", user_metadata: "false" } });
    expect(bare.json).toMatchObject({ metadata: {} });
    const missing = await lakefs().call("PUT", path, { query: { path: "nope" }, json });
    expect(missing.status).toBe(404);
    expect(missing.message).toMatch(/not found/);
  });

  test("stat of what is not there is 404, on a branch that is not there too", async () => {
    for (const ref of ["main", "nope"]) {
      const path = `/repositories/${repository}/refs/${ref}/objects/stat`;
      const answer = await lakefs().call("GET", path, { query: { path: "nope" } });
      expect(answer).toMatchObject({ status: 404, message: "not found" });
    }
  });

  test("a delete is 204, whether the object was there or not", async () => {
    await lakefs().put(repository, "main", "gone", "1");
    for (const path of ["gone", "gone", "never"]) {
      expect(await lakefs().call("DELETE", objects, { query: { path } })).toMatchObject({ status: 204 });
    }
    expect(await lakefs().read(repository, "main", "gone")).toBe(404);
    expect(await lakefs().call("DELETE", objects, { query: { path: "" } })).toMatchObject({ status: 400 });
    const elsewhere = `/repositories/${repository}/branches/nope/objects`;
    const answer = await lakefs().call("DELETE", elsewhere, { query: { path: "a" } });
    expect(answer).toMatchObject({ status: 404 });
  });

  test("many are deleted at once, at most 1000, and what was not there is no error", async () => {
    for (const path of ["m/1", "m/2", "m/3"]) await lakefs().put(repository, "main", path, "1");
    const many = async (json: unknown): Promise<unknown> => {
      const { status, json: body } = await lakefs().call("POST", `${objects}/delete`, { json });
      return { status, body };
    };
    const none = { status: 200, body: { errors: [] } };
    expect(await many({ paths: ["m/1", "m/2", "never"] })).toEqual(none);
    expect(await many({ paths: [] })).toEqual(none);
    expect(await lakefs().read(repository, "main", "m/1")).toBe(404);
    expect(await lakefs().read(repository, "main", "m/3")).toBe("1");
    expect(await many({})).toMatchObject({ status: 400 });
    const paths = Array.from({ length: 1001 }, (_, at) => `p${at}`);
    expect(await many({ paths })).toMatchObject({ status: 400 });
  });
});
