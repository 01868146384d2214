import { beforeEach, describe, expect, test } from "vitest";
import { lakefs } from "./under-test.ts";

describe("reverts and cherry-picks", () => {
  let repository = "";
  let main = "";
  let change = "";
  beforeEach(async () => {
    repository = await lakefs().repository();
    main = `/repositories/${repository}/branches/main`;
    await lakefs().put(repository, "main", "a", "1");
    await lakefs().commit(repository, "main");
    await lakefs().branch(repository, "side");
    await lakefs().put(repository, "main", "a", "2");
    change = await lakefs().commit(repository, "main", { message: "change", metadata: { k: "v" } });
  });

  const post = async (path: string, json: object): Promise<{ status: number; message: string }> =>
    lakefs().call("POST", path, { json });

  test("a revert takes a change back with a new commit", async () => {
    await lakefs().put(repository, "main", "b", "1");
    const head = await lakefs().commit(repository, "main");
    expect(await post(`${main}/revert`, { ref: change, parent_number: 0 })).toMatchObject({ status: 204 });
    expect(await lakefs().read(repository, "main", "a")).toBe("1");
    expect(await lakefs().read(repository, "main", "b")).toBe("1");
    expect(await lakefs().getCommit(repository, "main")).toMatchObject({
      message: `Revert ${change}`,
      parents: [head],
      metadata: {},
    });
  });

  test("a revert's message and metadata can be given", async () => {
    const commit_overrides = { message: "mine", metadata: { x: "y" } };
    expect(await post(`${main}/revert`, { ref: change, parent_number: 0, commit_overrides })).toMatchObject({
      status: 204,
    });
    expect(await lakefs().getCommit(repository, "main")).toMatchObject(commit_overrides);
  });

  test("a merge's revert must say against which parent", async () => {
    await lakefs().put(repository, "side", "s", "1");
    await lakefs().commit(repository, "side");
    await lakefs().merge(repository, "side", "main", {});
    expect(await post(`${main}/revert`, { ref: "main", parent_number: 0 })).toMatchObject({ status: 409 });
    expect(await post(`${main}/revert`, { ref: "main", parent_number: 7 })).toMatchObject({ status: 400 });
    expect(await post(`${main}/revert`, { ref: "main", parent_number: 1 })).toMatchObject({ status: 204 });
    expect(await lakefs().paths(repository, "main")).toEqual(["a"]);
  });

  test.for<[string, object, number]>([
    ["no parent number", { ref: "main" }, 400],
    ["no ref", { parent_number: 0 }, 400],
    ["an unknown ref", { ref: "nope", parent_number: 0 }, 404],
  ])("a revert with %s is refused", async ([, json, status]) => {
    expect(await post(`${main}/revert`, json)).toMatchObject({ status });
  });

  test("a revert that others built on is a conflict; on uncommitted changes it is 400", async () => {
    await lakefs().put(repository, "main", "a", "3");
    await lakefs().commit(repository, "main");
    expect(await post(`${main}/revert`, { ref: change, parent_number: 0 })).toMatchObject({ status: 409 });
    await lakefs().put(repository, "main", "b", "1");
    const refused = await post(`${main}/revert`, { ref: "main", parent_number: 0 });
    expect(refused.status).toBe(400);
    expect(refused.message).toMatch(/dirty branch/);
  });

  test("a cherry-pick makes the change again, with its metadata and where it is from", async () => {
    const answer = await post(`/repositories/${repository}/branches/side/cherry-pick`, { ref: change });
    expect(answer).toMatchObject({ status: 201 });
    expect(await lakefs().read(repository, "side", "a")).toBe("2");
    expect(await lakefs().getCommit(repository, "side")).toMatchObject({
      message: "change",
      metadata: { k: "v", "cherry-pick-origin": change, "cherry-pick-committer": "perago" },
    });
  });

  test("a cherry-pick that conflicts is 409, an unknown ref 404", async () => {
    await lakefs().put(repository, "side", "a", "side");
    await lakefs().commit(repository, "side");
    const pick = `/repositories/${repository}/branches/side/cherry-pick`;
    const answer = await post(pick, { ref: change });
    expect(answer).toMatchObject({ status: 409 });
    expect(answer.message).toMatch(/conflict found/);
    expect(await post(pick, { ref: "nope" })).toMatchObject({ status: 404 });
  });
});
