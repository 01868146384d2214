import { expect, test } from "vitest";
import { answerJson, clientTo, fakeHttp } from "../../test/fake-http.ts";

const creation = { message: "m", metadata: { run: "7" }, baseCommitId: "base" };

async function lossy(
  head: string,
  parents: string[],
  metadata: Record<string, string>,
): Promise<{ endpoint: string; posts: () => number }> {
  const { endpoint, seen } = await fakeHttp((request, response) => {
    if (request.method === "POST") response.writeHead(504).end();
    else if (request.target.includes("/branches/")) answerJson(response, { id: "b", commit_id: head });
    else answerJson(response, { id: head, parents, message: "m", committer: "u", creation_date: 1, metadata });
  });
  return { endpoint, posts: () => seen.filter((request) => request.method === "POST").length };
}

test("fault B8: a commit whose answer got lost is found at the head, and sent once", async () => {
  const { endpoint, posts } = await lossy("c2", ["base"], { run: "7" });
  expect((await clientTo(endpoint).commitOnce("r", "b", creation)).id).toBe("c2");
  expect(posts()).toBe(1);
});

test.for([
  ["the head is still the base", "base", ["older"], { run: "7" }],
  ["the head stands on another commit", "c2", ["other"], { run: "7" }],
  ["the head has other metadata", "c2", ["base"], { run: "8" }],
] as const)("fault B8: the outcome stays unknown where %s", async ([, head, parents, metadata]) => {
  const { endpoint, posts } = await lossy(head, [...parents], metadata);
  await expect(clientTo(endpoint).commitOnce("r", "b", creation)).rejects.toMatchObject({ outcome: "unknown" });
  expect(posts()).toBe(1);
});
