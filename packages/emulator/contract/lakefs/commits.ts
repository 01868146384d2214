import { beforeAll, describe, expect, test } from "vitest";
import { lakefs } from "./under-test.ts";

describe("commits", () => {
  let repository = "";
  let commits = "";
  beforeAll(async () => {
    repository = await lakefs().repository();
    commits = `/repositories/${repository}/branches/main/commits`;
  });

  test("a commit carries its message and metadata, and its branch stands on it", async () => {
    const parent = await lakefs().head(repository, "main");
    await lakefs().put(repository, "main", "a", "1");
    const json = { message: "first", metadata: { "k.x": "v", other: "" }, date: 1_700_000_000 };
    const answer = await lakefs().call("POST", commits, { json });
    const shown = {
      message: "first",
      metadata: { "k.x": "v", other: "" },
      creation_date: 1_700_000_000,
      committer: "perago",
      parents: [parent],
      generation: 2,
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
    };
    expect(answer).toMatchObject({ status: 201, json: shown });
    expect(await lakefs().getCommit(repository, "main")).toMatchObject(shown);
  });

  test("without changes it is 400, unless an empty one is allowed", async () => {
    const refused = { status: 400, message: "commit: no changes" };
    expect(await lakefs().call("POST", commits, { json: { message: "m" } })).toMatchObject(refused);
    await lakefs().put(repository, "main", "a", "1");
    expect(await lakefs().call("POST", commits, { json: { message: "m" } })).toMatchObject(refused);
    const before = await lakefs().getCommit(repository, "main");
    await lakefs().commit(repository, "main", { allow_empty: true });
    const after = await lakefs().getCommit(repository, "main");
    expect(after).toMatchObject({ meta_range_id: before["meta_range_id"], parents: [before["id"]] });
  });

  test("long metadata is kept", async () => {
    const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`key-${at}`, "v".repeat(500)]));
    const id = await lakefs().commit(repository, "main", { allow_empty: true, metadata });
    expect(await lakefs().getCommit(repository, id)).toMatchObject({ metadata });
  });

  test.for<[string, object, RegExp]>([
    ["no message", {}, /"message" is missing/],
    ["metadata that is no text", { message: "m", metadata: { a: 3 } }, /must be a string/],
  ])("%s is 400", async ([, json, message]) => {
    const answer = await lakefs().call("POST", commits, { json });
    expect(answer.status).toBe(400);
    expect(answer.message).toMatch(message);
  });

  test("a branch that is not there is 404", async () => {
    const path = `/repositories/${repository}/branches/nope/commits`;
    expect(await lakefs().call("POST", path, { json: { message: "m" } })).toMatchObject({ status: 404 });
  });

  test("a commit is named by branch, id, short id, and steps from them", async () => {
    const id = await lakefs().commit(repository, "main", { allow_empty: true });
    const { parents } = await lakefs().getCommit(repository, id);
    for (const ref of ["main", "main@", id, id.slice(0, 10), `${id}~0`, "main^0"]) {
      expect(await lakefs().getCommit(repository, ref)).toMatchObject({ id });
    }
    for (const ref of ["main~1", "main~", "main^", "main^1", `${id}~1`, `${id.slice(0, 10)}~`]) {
      expect(await lakefs().getCommit(repository, ref)).toMatchObject({
        id: Array.isArray(parents) ? parents[0] : "",
      });
    }
  });

  test.for([
    ["nope", 404],
    ["main~99", 404],
    ["0123456789abcdef", 404],
    ["main^2", 500],
    ["main$", 500],
    ["main~x", 500],
    ["main@1", 500],
  ] as const)("the ref %s is answered %i", async ([ref, status]) => {
    const path = `/repositories/${repository}/commits/${encodeURIComponent(ref)}`;
    expect(await lakefs().call("GET", path)).toMatchObject({ status });
  });
});
