import { beforeAll, describe, expect, test } from "vitest";
import { fields, pagination, results, stringAt } from "./client.ts";
import { lakefs } from "./under-test.ts";

const paths = ["a", "dir", "dir/1", "dir/2", "dir/sub/3", "dir-old/x", "z", "é", "\u{10000}", "\uFFFD"];
// By UTF-8 bytes: U+FFFD comes before U+10000, which JavaScript's own order turns round.
const inOrder = ["a", "dir", "dir-old/x", "dir/1", "dir/2", "dir/sub/3", "z", "é", "\uFFFD", "\u{10000}"];
const MANY = 1_100;

describe("listing", () => {
  let repository = "";
  beforeAll(async () => {
    repository = await lakefs().repository();
    for (const path of paths) await lakefs().put(repository, "main", path, path);
    await lakefs().commit(repository, "main");
    await lakefs().branch(repository, "work");
    await lakefs().put(repository, "work", "dir/1", "changed");
    await lakefs().put(repository, "work", "dir/0", "new");
    const one = { query: { path: "dir/2" } };
    await lakefs().call("DELETE", `/repositories/${repository}/branches/work/objects`, one);
  });

  const list = async (ref: string, query: Record<string, string>): Promise<{ found: string[]; next: unknown }> => {
    const path = `/repositories/${repository}/refs/${encodeURIComponent(ref)}/objects/ls`;
    const answer = await lakefs().call("GET", path, { query });
    const found = results(answer).map((one) => stringAt(one, "path"));
    return { found, next: pagination(answer)["next_offset"] };
  };

  test("paths come in the order of their bytes", async () => {
    expect((await list("main", {})).found).toEqual(inOrder);
    await lakefs().branch(repository, "staged-order");
    for (const path of paths) await lakefs().put(repository, "staged-order", `${path}+`, "1");
    expect((await list("staged-order", {})).found).toEqual(
      [...inOrder, ...inOrder.map((path) => `${path}+`)].toSorted((a, b) =>
        Buffer.compare(Buffer.from(a), Buffer.from(b)),
      ),
    );
  });

  test("a page ends where it is full, and its offset leads on", async () => {
    const seen: string[] = [];
    let after = "";
    for (let page = 0; page < inOrder.length; page += 1) {
      const { found, next } = await list("main", { amount: "3", after });
      seen.push(...found);
      after = String(next);
      if (after === "") break;
    }
    expect(seen).toEqual(inOrder);
  });

  test("a prefix and a delimiter make common prefixes; pages do not repeat them", async () => {
    expect((await list("main", { prefix: "dir/" })).found).toEqual(["dir/1", "dir/2", "dir/sub/3"]);
    expect((await list("main", { prefix: "dir/", delimiter: "/" })).found).toEqual(["dir/1", "dir/2", "dir/sub/"]);
    const top = ["a", "dir", "dir-old/", "dir/", "z", "é", "\uFFFD", "\u{10000}"];
    expect((await list("main", { delimiter: "/" })).found).toEqual(top);
    expect(await list("main", { delimiter: "/", amount: "3" })).toEqual({ found: top.slice(0, 3), next: "dir-old/" });
    expect((await list("main", { delimiter: "/", amount: "2", after: "dir-old/" })).found).toEqual(["dir/", "z"]);
    expect((await list("main", { delimiter: "/", after: "dir/1", amount: "1" })).found).toEqual(["dir/"]);
    expect((await list("main", { prefix: "nothing" })).found).toEqual([]);
  });

  test("a common prefix has no checksum, an object has its stat", async () => {
    const path = `/repositories/${repository}/refs/main/objects/ls`;
    const answer = await lakefs().call("GET", path, { query: { prefix: "dir", delimiter: "/" } });
    const [object, , prefix] = results(answer);
    expect(prefix).toMatchObject({ path: "dir/", path_type: "common_prefix", checksum: "", mtime: 0 });
    expect(object).toMatchObject({ path: "dir", path_type: "object", size_bytes: 3, content_type: "text/plain" });
    expect(fields(object)["metadata"]).toBeUndefined();
  });

  test("a branch shows what is staged on it; with @ what is committed; its commit too", async () => {
    const staged = { prefix: "dir/" };
    expect((await list("work", staged)).found).toEqual(["dir/0", "dir/1", "dir/sub/3"]);
    expect((await list("work@", staged)).found).toEqual(["dir/1", "dir/2", "dir/sub/3"]);
    const head = await lakefs().head(repository, "work");
    expect((await list(head, staged)).found).toEqual(["dir/1", "dir/2", "dir/sub/3"]);
    expect(await lakefs().read(repository, "work", "dir/1")).toBe("changed");
    expect(await lakefs().read(repository, "work", "dir/2")).toBe(404);
    expect(await lakefs().read(repository, head, "dir/1")).toBe("dir/1");
  });

  test("metadata is listed unless that is refused", async () => {
    const objects = `/repositories/${repository}/branches/work/objects`;
    const headers = { "x-lakefs-meta-k": "v", "content-type": "text/plain" };
    await lakefs().call("POST", objects, { query: { path: "with-meta" }, body: "1", headers });
    const path = `/repositories/${repository}/refs/work/objects/ls`;
    const shown = async (query: Record<string, string>): Promise<unknown> =>
      fields(results(await lakefs().call("GET", path, { query: { prefix: "with-meta", ...query } }))[0])["metadata"];
    expect(await shown({})).toEqual({ k: "v" });
    expect(await shown({ user_metadata: "false" })).toBeUndefined();
  });

  test("an unknown ref is 404", async () => {
    const answer = await lakefs().call("GET", `/repositories/${repository}/refs/nope/objects/ls`);
    expect(answer).toMatchObject({ status: 404, message: "not found" });
  });

  test("over a thousand objects, staged or committed, come in pages of at most 1000", async () => {
    await lakefs().branch(repository, "many", await lakefs().head(repository, "main"));
    const all = Array.from({ length: MANY }, (_, at) => `many/${String(at).padStart(5, "0")}`);
    for (let at = 0; at < MANY; at += 20) {
      await Promise.all(all.slice(at, at + 20).map((path) => lakefs().put(repository, "many", path, path)));
    }
    const inPages = async (): Promise<string[]> => {
      const first = await list("many", { prefix: "many/", amount: "1000" });
      expect(first.found).toHaveLength(1000);
      return [...first.found, ...(await list("many", { prefix: "many/", after: String(first.next) })).found];
    };
    const counted = all.slice(0, 1000 + 100);
    expect(await inPages()).toEqual(counted);
    await lakefs().commit(repository, "many");
    expect(await inPages()).toEqual(counted);
  }, 120_000);
});
