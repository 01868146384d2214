import { beforeEach, describe, expect, test } from "vitest";
import { fields, results, stringAt, type Answer } from "./client.ts";
import { fenceAction } from "./fence-action.ts";
import { lakefs } from "./under-test.ts";

const printAction = `name: print it
on:
  pre-merge:
hooks:
  - id: shows
    type: lua
    properties:
      args:
        word: hello
      script: |
        print(action.event_type, action.action_name, action.hook_id)
        print(action.branch_id, action.merge_source, args.word, username)
        print(action.repository_id, action.commit.message, action.commit.metadata.k, #action.commit.parents)
        print(action.source_ref, action.commit_id, action.run_id)
`;

const commitAction = (event: string): string => `name: messages
on:
  ${event}:
hooks:
  - id: message
    type: lua
    properties:
      script: |
        if string.find(action.commit.message, "bad") then error("a bad message") end
  - id: second
    type: lua
    if: failure()
    properties:
      script: print("after a failure")
`;

describe("hooks", () => {
  let repository = "";
  let base = "";
  const make = async (action: string): Promise<void> => {
    repository = await lakefs().repository();
    await lakefs().put(repository, "main", "_lakefs_actions/fence.yaml", action);
    base = await lakefs().commit(repository, "main");
    await lakefs().branch(repository, "side");
    await lakefs().put(repository, "side", "a", "side");
    await lakefs().commit(repository, "side");
  };
  const runs = async (): Promise<Answer> => lakefs().call("GET", `/repositories/${repository}/actions/runs`);

  describe("on merges", () => {
    beforeEach(async () => make(fenceAction));

    test("a refusal is 412 with the hook's words, and the branch stays", async () => {
      const answer = await lakefs().merge(repository, "side", "main", { metadata: { expected: "another" } });
      expect(answer.status).toBe(412);
      expect(answer.message).toMatch(/^update branch main: pre-merge hook aborted, run id '\w+': 1 error occurred:/);
      expect(answer.message).toMatch(/hook run id '0000_0000' failed on action 'fence' hook 'expected_head'/);
      expect(answer.message).toContain("head moved: expected another");
      expect(await lakefs().head(repository, "main")).toBe(base);
    });

    test("a refused merge leaves its commit record behind, on no branch", async () => {
      await lakefs().merge(repository, "side", "main", { message: "refused", metadata: { expected: "x" } });
      const [run] = results(await runs());
      expect(run).toMatchObject({ status: "failed", event_type: "pre-merge", branch: "main" });
      const dangling = stringAt(run, "commit_id");
      expect(await lakefs().getCommit(repository, dangling)).toMatchObject({ message: "refused" });
      const log = await lakefs().call("GET", `/repositories/${repository}/refs/main/commits`);
      expect(results(log).map((one) => stringAt(one, "id"))).not.toContain(dangling);
    });

    test("the expected head passes, and the run is kept", async () => {
      const answer = await lakefs().merge(repository, "side", "main", { metadata: { expected: base } });
      expect(answer.status).toBe(200);
      const [run] = results(await runs());
      expect(run).toMatchObject({ status: "completed", commit_id: stringAt(answer.json, "reference") });
    });

    test("it runs for the branches that it names only", async () => {
      for (const name of ["rel-1", "free"]) await lakefs().branch(repository, name, base);
      expect(await lakefs().merge(repository, "side", "rel-1", {})).toMatchObject({ status: 412 });
      expect(await lakefs().merge(repository, "side", "free", {})).toMatchObject({ status: 200 });
    });

    test("actions are taken from the source: a source without them is not fenced", async () => {
      const path = "_lakefs_actions/fence.yaml";
      await lakefs().branch(repository, "without", base);
      await lakefs().call("DELETE", `/repositories/${repository}/branches/without/objects`, { query: { path } });
      const commit = await lakefs().commit(repository, "without");
      expect(await lakefs().merge(repository, commit, "main", {})).toMatchObject({ status: 200 });
    });

    test("conflicts, no changes and a dirty destination are said before any hook runs", async () => {
      expect(await lakefs().merge(repository, base, "main", {})).toMatchObject({ status: 400 });
      await lakefs().put(repository, "main", "z", "1");
      expect(await lakefs().merge(repository, "side", "main", {})).toMatchObject({ status: 400 });
      expect(results(await runs())).toEqual([]);
    });
  });

  test("a script sees the event, the commit to be, and its arguments", async () => {
    await make(printAction);
    const json = { message: "shown", metadata: { k: "v" }, squash_merge: true };
    const answer = await lakefs().merge(repository, "side", "main", json);
    const reference = stringAt(answer.json, "reference");
    const run = stringAt(results(await runs())[0], "run_id");
    const path = `/repositories/${repository}/actions/runs/${run}`;
    expect((await lakefs().call("GET", path)).json).toMatchObject({ run_id: run, status: "completed" });
    const hooks = results(await lakefs().call("GET", `${path}/hooks`));
    expect(hooks).toMatchObject([{ hook_id: "shows", action: "print it", hook_run_id: "0000_0000" }]);
    const output = await lakefs().call("GET", `${path}/hooks/0000_0000/output`);
    const source = await lakefs().head(repository, "side");
    expect(output.text.trimEnd().split("\n")).toEqual([
      "pre-merge\tprint it\tshows",
      "main\tside\thello\tperago",
      `${repository}\tshown\tv\t1`,
      `${source}\t${reference}\t${run}`,
    ]);
    expect(await lakefs().call("GET", `${path}/hooks/0009_0000/output`)).toMatchObject({ status: 404 });
    const missing = `/repositories/${repository}/actions/runs/nope`;
    expect(await lakefs().call("GET", missing)).toMatchObject({ status: 404 });
    expect(results(await lakefs().call("GET", `${missing}/hooks`))).toEqual([]);
    expect(await lakefs().call("GET", `${missing}/hooks/0000_0000/output`)).toMatchObject({ status: 404 });
  });

  test.for(["pre-commit", "prepare-commit"])("%s refuses a commit with 412 and keeps what is staged", async (event) => {
    await make(commitAction(event));
    await lakefs().branch(repository, "work");
    await lakefs().put(repository, "work", "w", "1");
    const commits = `/repositories/${repository}/branches/work/commits`;
    const answer = await lakefs().call("POST", commits, { json: { message: "bad one" } });
    expect(answer.status).toBe(412);
    expect(answer.message).toContain(`${event} hook aborted`);
    expect(answer.message).toContain("a bad message");
    const failed = results(await runs()).find((one) => fields(one)["status"] === "failed");
    const run = stringAt(failed, "run_id");
    const hooks = results(await lakefs().call("GET", `/repositories/${repository}/actions/runs/${run}/hooks`));
    expect(hooks.map((one) => [fields(one)["hook_id"], fields(one)["status"]])).toEqual([
      ["message", "failed"],
      ["second", "completed"],
    ]);
    expect(await lakefs().paths(repository, "work")).toContain("w");
    expect(await lakefs().call("POST", commits, { json: { message: "good one" } })).toMatchObject({ status: 201 });
  });

  test.for<[string, string]>([
    ["no hooks' events", "name: no events\n"],
    ["an unknown event", "name: odd\non:\n  pre-everything:\nhooks: []\n"],
    ["no YAML", "name: [\n"],
  ])("an action with %s fails the merge with 500", async ([, action]) => {
    repository = await lakefs().repository();
    await lakefs().branch(repository, "side");
    await lakefs().put(repository, "side", "a", "1");
    await lakefs().put(repository, "side", "_lakefs_actions/bad.yaml", action);
    // The commit reads the actions of the same branch: it fails already.
    const commits = `/repositories/${repository}/branches/side/commits`;
    const answer = await lakefs().call("POST", commits, { json: { message: "m" } });
    expect(answer.status).toBe(500);
    expect(answer.message).toContain("parsing file _lakefs_actions/bad.yaml");
  });

  describe("fault D9: a script that is wrong", () => {
    const wrap = (script: string): string =>
      ["name: wrong", "on:", "  pre-merge:", "hooks:", "  - id: wrong", "    type: lua", "    properties:"]
        .concat(`      script: '${script}'`)
        .join("\n");

    test.for([
      ["a syntax error", "x = = 1"],
      ["a call of nothing", "nothing()"],
      ["an error of its own", 'error("own")'],
      ["a division of a newer Lua", "local x = 7 // 2"],
      ["bits of a newer Lua", "local x = 1 << 2"],
      ["a constant of a newer Lua", "local x <const> = 1"],
      ["a library of a newer Lua", "utf8.char(65)"],
      ["a function of a newer Lua", "math.tointeger(3)"],
    ])("%s refuses the merge with 412", async ([, script]) => {
      await make(wrap(String(script)));
      expect(await lakefs().merge(repository, "side", "main", {})).toMatchObject({ status: 412 });
    });
  });
});
