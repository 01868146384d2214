import { beforeEach, describe, expect, test } from "vitest";
import { stringAt } from "./client.ts";
import { lakefs } from "./under-test.ts";

describe("merges", () => {
  let repository = "";
  let base = "";
  beforeEach(async () => {
    repository = await lakefs().repository();
    for (const path of ["a", "b", "c"]) await lakefs().put(repository, "main", path, "1");
    base = await lakefs().commit(repository, "main");
    await lakefs().branch(repository, "side");
  });

  const change = async (branch: string, path: string, content: string | null): Promise<string> => {
    if (content !== null) await lakefs().put(repository, branch, path, content);
    else await lakefs().call("DELETE", `/repositories/${repository}/branches/${branch}/objects`, { query: { path } });
    return lakefs().commit(repository, branch);
  };

  test("both sides' changes are in the result, whose parents are destination and source", async () => {
    const source = await change("side", "a", "side");
    await change("side", "new", "side");
    const head = await change("main", "b", null);
    const sideHead = await lakefs().head(repository, "side");
    const answer = await lakefs().merge(repository, "side", "main", { message: "joined", metadata: { k: "v" } });
    expect(answer.status).toBe(200);
    expect(await lakefs().getCommit(repository, "main")).toMatchObject({
      id: stringAt(answer.json, "reference"),
      message: "joined",
      metadata: { k: "v", ".lakefs.merge.strategy": "default" },
      parents: [head, sideHead],
      generation: 5,
    });
    expect(await lakefs().paths(repository, "main")).toEqual(["a", "c", "new"]);
    expect(await lakefs().read(repository, "main", "a")).toBe("side");
    expect(source).not.toBe(sideHead);
  });

  test("a squash merge has the destination's head as its only parent", async () => {
    await change("side", "a", "side");
    const answer = await lakefs().merge(repository, "side", "main", { squash_merge: true });
    expect(await lakefs().getCommit(repository, stringAt(answer.json, "reference"))).toMatchObject({
      parents: [base],
      message: "Merge 'side' into 'main'",
    });
  });

  test("fault D11: a source may be a commit id; the branch's later commits stay out", async () => {
    const source = await change("side", "a", "first");
    await change("side", "a", "second");
    expect(await lakefs().merge(repository, source, "main", { squash_merge: true })).toMatchObject({ status: 200 });
    expect(await lakefs().read(repository, "main", "a")).toBe("first");
  });

  test("one staging commit merged three times makes three commits: no changes is said by the merge base", async () => {
    const source = await change("side", "a", "side");
    const made = new Set<string>();
    for (let at = 0; at < 3; at += 1) {
      const answer = await lakefs().merge(repository, source, "main", { squash_merge: true });
      expect(answer.status).toBe(200);
      made.add(stringAt(answer.json, "reference"));
    }
    expect(made.size).toBe(3);
    const log = { query: { first_parent: "true", stop_at: base } };
    const answer = await lakefs().call("GET", `/repositories/${repository}/refs/main/commits`, log);
    expect(answer.json).toMatchObject({ pagination: { results: 4 } });
  });

  test("a source that equals the merge base is 400, unless an empty merge is allowed", async () => {
    const answer = await lakefs().merge(repository, "side", "main", { squash_merge: true });
    expect(answer.status).toBe(400);
    expect(answer.message).toMatch(/no changes$/);
    const allowed = await lakefs().merge(repository, "side", "main", { squash_merge: true, allow_empty: true });
    expect(allowed.status).toBe(200);
    expect(await lakefs().getCommit(repository, "main")).toMatchObject({ parents: [base] });
  });

  test("a change and its way back is a change; what came and went is none", async () => {
    await change("side", "a", "side");
    await change("side", "a", "1");
    expect(await lakefs().merge(repository, "side", "main", { squash_merge: true })).toMatchObject({ status: 200 });
    const diff = await lakefs().call("GET", `/repositories/${repository}/refs/${base}/diff/main`);
    expect(diff.json).toMatchObject({ results: [] });
    await lakefs().branch(repository, "passing", base);
    await change("passing", "new", "1");
    await change("passing", "new", null);
    expect(await lakefs().merge(repository, "passing", "side", {})).toMatchObject({ status: 400 });
  });

  test("a path that both changed is a conflict: 409 with a merge result, and nothing moves", async () => {
    await change("side", "a", "side");
    const head = await change("main", "a", "main");
    const answer = await lakefs().merge(repository, "side", "main", {});
    expect(answer).toMatchObject({ status: 409, json: { reference: "" } });
    expect(await lakefs().head(repository, "main")).toBe(head);
  });

  test.for<[string, string | null, string | null, boolean]>([
    ["changed here, removed there", "main", null, true],
    ["removed here, changed there", null, "side", true],
    ["the same change on both", "same", "same", false],
    ["removed on both", null, null, false],
  ])("%s", async ([, here, there, isConflict]) => {
    await change("side", "a", there);
    await change("side", "other", "1");
    await change("main", "a", here);
    const answer = await lakefs().merge(repository, "side", "main", {});
    expect(answer.status).toBe(isConflict ? 409 : 200);
  });

  test("a path added on both sides with other content is a conflict", async () => {
    await change("side", "new", "side");
    await change("main", "new", "main");
    expect(await lakefs().merge(repository, "side", "main", {})).toMatchObject({ status: 409 });
  });

  test.for([
    ["source-wins", "side", "main"],
    ["dest-wins", "main", "side"],
  ] as const)("with the strategy %s the conflict is decided", async ([strategy, changed, removed]) => {
    await change("side", "a", "side");
    await change("side", "b", removed === "main" ? "side" : null);
    await change("side", "c", "side");
    await change("main", "a", "main");
    await change("main", "b", removed === "main" ? null : "main");
    expect(await lakefs().merge(repository, "side", "main", { strategy })).toMatchObject({ status: 200 });
    expect(await lakefs().read(repository, "main", "a")).toBe(changed);
    expect(await lakefs().read(repository, "main", "b")).toBe(changed);
    expect(await lakefs().read(repository, "main", "c")).toBe("side");
    const metadata = { ".lakefs.merge.strategy": strategy };
    expect(await lakefs().getCommit(repository, "main")).toMatchObject({ metadata });
  });

  test("a destination with uncommitted changes is 400; a source's are left out", async () => {
    await change("side", "a", "side");
    await lakefs().put(repository, "side", "b", "uncommitted");
    expect(await lakefs().merge(repository, "side", "main", {})).toMatchObject({ status: 200 });
    expect(await lakefs().read(repository, "main", "b")).toBe("1");
    await lakefs().put(repository, "main", "z", "uncommitted");
    await lakefs().commit(repository, "side");
    const refused = { status: 400, message: "uncommitted changes (dirty branch)" };
    expect(await lakefs().merge(repository, "side", "main", {})).toMatchObject(refused);
  });

  test("staged content that equals the committed one does not make a branch dirty", async () => {
    await change("side", "a", "side");
    await lakefs().put(repository, "main", "b", "1");
    expect(await lakefs().merge(repository, "side", "main", {})).toMatchObject({ status: 200 });
  });

  test.for<[string, string, object, number]>([
    ["an unknown source", "nope", {}, 404],
    ["an unknown strategy", "side", { strategy: "mine" }, 400],
    ["metadata that is no text", "side", { metadata: { a: 1 } }, 400],
  ])("%s is refused", async ([, source, json, status]) => {
    expect(await lakefs().merge(repository, source, "main", json)).toMatchObject({ status });
  });

  test("an unknown destination is 404, a name that none can have 400", async () => {
    expect(await lakefs().merge(repository, "side", "nope", {})).toMatchObject({ status: 404 });
    expect(await lakefs().merge(repository, "side", "a.b", {})).toMatchObject({ status: 400 });
  });
});
