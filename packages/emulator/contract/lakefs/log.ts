import { beforeAll, describe, expect, test } from "vitest";
import { pagination, results, stringAt, type Answer } from "./client.ts";
import { lakefs } from "./under-test.ts";

const OLDEST_S = 1_600_000_000;
const LENGTH = 12;

describe("log", () => {
  let repository = "";
  /** Newest first; the repository's own commit is the last one. */
  const chain: string[] = [];
  let side = "";
  beforeAll(async () => {
    repository = await lakefs().repository();
    chain.push(await lakefs().head(repository, "main"));
    for (let at = 0; at < LENGTH; at += 1) {
      chain.unshift(await lakefs().commit(repository, "main", { allow_empty: true, message: `m${at}` }));
    }
    await lakefs().branch(repository, "side");
    await lakefs().put(repository, "side", "side/a", "1");
    side = await lakefs().commit(repository, "side");
    const merged = await lakefs().merge(repository, "side", "main", {});
    chain.unshift(stringAt(merged.json, "reference"));
  });

  const log = async (query: Record<string, string>, ref = "main"): Promise<Answer> =>
    lakefs().call("GET", `/repositories/${repository}/refs/${ref}/commits`, { query });
  const ids = (answer: Answer): string[] => results(answer).map((one) => stringAt(one, "id"));

  test("first parents are one chain; without that the merged side is in it too", async () => {
    expect(ids(await log({ first_parent: "true" }))).toEqual(chain);
    const all = ids(await log({}));
    expect(all.toSorted()).toEqual([...chain, side].toSorted());
    expect(all[0]).toBe(chain[0]);
  });

  test("a commit id's log is that commit's, whatever its branch does", async () => {
    const [, second = ""] = chain;
    expect(ids(await log({ first_parent: "true" }, second))).toEqual(chain.slice(1));
  });

  test("pages lead on by the last id", async () => {
    const first = await log({ first_parent: "true", amount: "5" });
    expect(ids(first)).toEqual(chain.slice(0, 5));
    expect(pagination(first)).toEqual({ has_more: true, max_per_page: 1000, next_offset: chain[4], results: 5 });
    const rest = await log({ first_parent: "true", after: chain[4] ?? "", amount: "1000" });
    expect(ids(rest)).toEqual(chain.slice(5));
    expect(pagination(rest)).toMatchObject({ has_more: false, next_offset: "" });
  });

  test("stop_at ends the log with that commit", async () => {
    const answer = await log({ first_parent: "true", stop_at: chain[3] ?? "" });
    expect(ids(answer)).toEqual(chain.slice(0, 4));
    expect(pagination(answer)).toMatchObject({ has_more: false });
  });

  test("limit makes amount all that is wanted", async () => {
    const answer = await log({ first_parent: "true", limit: "true", amount: "3" });
    expect(ids(answer)).toEqual(chain.slice(0, 3));
    expect(pagination(answer)).toMatchObject({ has_more: false });
  });

  test("since leaves older commits out", async () => {
    await lakefs().branch(repository, "dated");
    const id = await lakefs().commit(repository, "dated", { allow_empty: true, date: OLDEST_S });
    const since = new Date(OLDEST_S * 1000 + 1000).toISOString();
    expect(ids(await log({ since }, id))).toEqual([]);
    expect(
      ids(await log({ since: new Date(OLDEST_S * 1000).toISOString(), first_parent: "true", amount: "1" }, id)),
    ).toEqual([id]);
  });

  test("objects and prefixes keep the commits that changed them", async () => {
    expect(ids(await log({ objects: "side/a" }))).toEqual([side]);
    expect(ids(await log({ prefixes: "side/" }))).toEqual([side]);
    expect(ids(await log({ objects: "other" }))).toEqual([]);
  });

  test.for<[string, Record<string, string>, string, RegExp]>([
    ["ref", {}, "nope", /^ref: not found/],
    ["stop_at", { stop_at: "nope" }, "main", /^stop_at: not found/],
    ["after", { after: "nope" }, "main", /^from ref: not found/],
  ])("an unknown %s is 404", async ([, query, ref, message]) => {
    const answer = await log(query, ref);
    expect(answer.status).toBe(404);
    expect(answer.message).toMatch(message);
  });
});
