import { beforeAll, describe, expect, test } from "vitest";
import { results, stringAt } from "./client.ts";
import { lakefs } from "./under-test.ts";

describe("tags", () => {
  let repository = "";
  let tags = "";
  let head = "";
  beforeAll(async () => {
    repository = await lakefs().repository();
    tags = `/repositories/${repository}/tags`;
    head = await lakefs().commit(repository, "main", { allow_empty: true });
  });

  test("a tag names a commit for good", async () => {
    const json = { id: "v1.0", ref: "main" };
    const answer = await lakefs().call("POST", tags, { json });
    expect(answer).toMatchObject({ status: 201, json: { id: "v1.0", commit_id: head } });
    await lakefs().commit(repository, "main", { allow_empty: true });
    expect((await lakefs().call("GET", `${tags}/v1.0`)).json).toEqual({ id: "v1.0", commit_id: head });
    expect(await lakefs().getCommit(repository, "v1.0")).toMatchObject({ id: head });
    expect(await lakefs().call("POST", tags, { json })).toMatchObject({ status: 409 });
    const listed = await lakefs().call("GET", tags, { query: { prefix: "v" } });
    expect(results(listed).map((one) => stringAt(one, "id"))).toEqual(["v1.0"]);
    expect(await lakefs().call("DELETE", `${tags}/v1.0`)).toMatchObject({ status: 204 });
    expect(await lakefs().call("GET", `${tags}/v1.0`)).toMatchObject({ status: 404, message: "tag not found" });
    expect(await lakefs().call("DELETE", `${tags}/v1.0`)).toMatchObject({ status: 404 });
  });

  test("a name that none can have is 400, an unknown ref 404, a branch's name 409", async () => {
    const post = async (id: string, ref: string): Promise<number> =>
      (await lakefs().call("POST", tags, { json: { id, ref } })).status;
    expect(await post("a b", "main")).toBe(400);
    expect(await post("good", "nope")).toBe(404);
    expect(await post("main", "main")).toBe(409);
  });
});
