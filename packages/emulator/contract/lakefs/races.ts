import { describe, expect, test } from "vitest";
import { results, stringAt } from "./client.ts";
import { fenceAction } from "./fence-action.ts";
import { lakefs } from "./under-test.ts";

const RACERS = 24;

describe("races", () => {
  const prepare = async (withFence: boolean): Promise<{ repository: string; base: string; commits: string[] }> => {
    const repository = await lakefs().repository();
    await lakefs().put(repository, "main", "a", "1");
    if (withFence) await lakefs().put(repository, "main", "_lakefs_actions/fence.yaml", fenceAction);
    const base = await lakefs().commit(repository, "main");
    const commits: string[] = [];
    for (let at = 0; at < RACERS; at += 1) {
      await lakefs().branch(repository, `racer-${at}`);
      await lakefs().put(repository, `racer-${at}`, `file-${at}`, String(at));
      commits.push(await lakefs().commit(repository, `racer-${at}`));
    }
    return { repository, base, commits };
  };
  const race = async (repository: string, base: string, commits: readonly string[]): Promise<number[]> => {
    const json = { squash_merge: true, metadata: { expected: base } };
    const answers = await Promise.all(commits.map((commit) => lakefs().merge(repository, commit, "main", json)));
    return answers.map((answer) => answer.status).toSorted((a, b) => a - b);
  };

  test("of 24 merges from one head exactly one passes the hook: 200, and 23 times 412", async () => {
    const { repository, base, commits } = await prepare(true);
    const statuses = await race(repository, base, commits);
    expect(statuses).toEqual([200, ...Array.from({ length: RACERS - 1 }, () => 412)]);
    expect(await lakefs().getCommit(repository, "main")).toMatchObject({ parents: [base] });
  }, 120_000);

  test("without the hook all 24 pass, one after another, and no file is lost", async () => {
    const { repository, base, commits } = await prepare(false);
    expect(await race(repository, base, commits)).toEqual(Array.from({ length: RACERS }, () => 200));
    const query = { first_parent: "true", stop_at: base };
    const log = await lakefs().call("GET", `/repositories/${repository}/refs/main/commits`, { query });
    expect(new Set(results(log).map((one) => stringAt(one, "id"))).size).toBe(RACERS + 1);
    expect(await lakefs().paths(repository, "main")).toHaveLength(RACERS + 1);
  }, 120_000);

  test("uploads beside a commit are in it or after it, never lost", async () => {
    const repository = await lakefs().repository();
    const paths = Array.from({ length: RACERS }, (_, at) => `f-${String(at).padStart(2, "0")}`);
    await lakefs().put(repository, "main", "first", "1");
    await Promise.all([
      ...paths.map((path) => lakefs().put(repository, "main", path, path)),
      lakefs().commit(repository, "main"),
    ]);
    expect(await lakefs().paths(repository, "main")).toEqual([...paths, "first"]);
  });
});
