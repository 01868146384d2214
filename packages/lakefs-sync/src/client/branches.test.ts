import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { answerJson, clientTo, fakeHttp, type SeenRequest } from "../../test/fake-http.ts";

const creation = { name: "stg", sourceCommitId: "c1", hidden: true };
const page = (results: unknown[]): unknown => ({
  pagination: { has_more: false, next_offset: "", results: results.length, max_per_page: 1000 },
  results,
});

/** Drops the first create's answer; the branch reads back as given. */
async function lossy(readBack: {
  commitId?: string;
  dirty?: boolean;
}): Promise<{ endpoint: string; posts: () => number }> {
  const isPost = (request: SeenRequest): boolean => request.method === "POST";
  const { endpoint, seen } = await fakeHttp((request: SeenRequest, response: ServerResponse) => {
    if (isPost(request)) {
      if (seen.filter(isPost).length === 1) response.socket?.destroy();
      else answerJson(response, { message: "branch already exists: not unique" }, 409);
    } else if (request.target.includes("/diff")) {
      answerJson(response, page(readBack.dirty ? [{ path: "x", path_type: "object", type: "added" }] : []));
    } else if (readBack.commitId === undefined) answerJson(response, { message: "branch not found" }, 404);
    else answerJson(response, { id: "stg", commit_id: readBack.commitId });
  });
  return { endpoint, posts: () => seen.filter(isPost).length };
}

test("fault B9: a branch whose create answer got lost is accepted at its source and clean", async () => {
  const { endpoint, posts } = await lossy({ commitId: "c1" });
  await clientTo(endpoint).createBranch("r", creation);
  expect(posts()).toBe(1);
});

test("fault B9: it is refused where it points elsewhere", async () => {
  const { endpoint } = await lossy({ commitId: "c9" });
  await expect(clientTo(endpoint).createBranch("r", creation)).rejects.toMatchObject({ code: "already_exists" });
});

test("fault B9: it is refused where something was written to it", async () => {
  const { endpoint } = await lossy({ commitId: "c1", dirty: true });
  await expect(clientTo(endpoint).createBranch("r", creation)).rejects.toMatchObject({ code: "already_exists" });
});

test("fault B9: a name that was taken before is never adopted", async () => {
  const { endpoint, seen } = await fakeHttp((_request, response) =>
    answerJson(response, { message: "not unique" }, 409),
  );
  await expect(clientTo(endpoint).createBranch("r", creation)).rejects.toMatchObject({ code: "already_exists" });
  expect(seen.length).toBe(1);
});

test("a create that did not arrive is sent again", async () => {
  const { endpoint, seen } = await fakeHttp((request, response, count) => {
    if (count === 1) response.writeHead(503).end();
    else if (request.method === "GET") answerJson(response, { message: "branch not found" }, 404);
    else response.writeHead(201).end("c1");
  });
  await clientTo(endpoint).createBranch("r", creation);
  expect(seen.map((request) => request.method)).toEqual(["POST", "GET", "POST"]);
});

test("rule X1: deleting a branch that is not there is success", async () => {
  const { endpoint } = await fakeHttp((_request, response) =>
    answerJson(response, { message: "branch not found" }, 404),
  );
  await clientTo(endpoint).deleteBranch("r", "stg");
});

test("case G05: hidden branches are listed on demand, by prefix", async () => {
  const { endpoint, seen } = await fakeHttp((_request, response) =>
    answerJson(response, page([{ id: "p-1", commit_id: "c" }])),
  );
  const client = clientTo(endpoint);
  expect(await client.listBranches("r", { prefix: "p-", showHidden: true })).toEqual([{ id: "p-1", commit_id: "c" }]);
  expect(seen[0]?.target).toContain("prefix=p-&after=&amount=1000&show_hidden=true");
});

test("rule P6: a branch is found by a listing of its name, or by getBranch where another name comes first", async () => {
  const refs = { main: "c1", "main-old": "c2" };
  const { endpoint, seen } = await fakeHttp((request, response) => {
    const { pathname, searchParams } = new URL(request.target, "http://lakefs");
    const name = pathname.split("/branches/")[1];
    const prefix = searchParams.get("prefix") ?? "";
    const shown = Object.entries(refs).map(([id, commitId]) => ({ id, commit_id: commitId }));
    if (name !== undefined) answerJson(response, { message: "branch not found" }, 404);
    else answerJson(response, page(shown.filter(({ id }) => id.startsWith(prefix)).slice(0, 1)));
  });
  const client = clientTo(endpoint);
  expect(await client.findBranch("r", "main")).toEqual({ id: "main", commit_id: "c1" });
  expect(seen.map(({ target }) => target)).toEqual([
    "/api/v1/repositories/r/branches?prefix=main&amount=1&show_hidden=true",
  ]);
  // The beginning of a name is no branch.
  await expect(client.findBranch("r", "mai")).rejects.toMatchObject({ code: "not_found" });
  await expect(client.findBranch("r", "other")).rejects.toMatchObject({ code: "not_found" });
});
