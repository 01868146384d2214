import { hardFenceAction, type HardFenceAction } from "@perago/fence/hard-fence";
import { describe, expect, test } from "vitest";
import type { HardFenceMode } from "../src/attempt/machine/facts.ts";
import type { MergeOutcome } from "../src/attempt/ports/target-store.ts";
import { execute, type ExecutionEnd, type ExecutionOptions, type Folder } from "./world/execution.ts";
import { MemoryConductor } from "./world/memory-conductor.ts";
import { MemoryLakefs } from "./world/memory-lakefs.ts";

const body = (folder: Folder): void => void folder.set("data/b", "2");
const action = hardFenceAction({ branch: "main" });

function world(text: string | null = action.text): { lakefs: MemoryLakefs; conductor: MemoryConductor } {
  const tree = { "data/a": "1", ...(text === null ? {} : { [action.path]: text }) };
  return { lakefs: new MemoryLakefs(tree), conductor: new MemoryConductor() };
}

function code(end: ExecutionEnd): string {
  const { outcome } = end.done;
  return outcome.kind === "failed" ? outcome.failure.code : outcome.kind;
}

const run = (
  here: ReturnType<typeof world>,
  hardFence: HardFenceMode,
  options: ExecutionOptions = {},
): Promise<ExecutionEnd> => execute(here, { body, ...options, facts: { hardFence } });

const notes = (end: ExecutionEnd): string[] => end.notes.map(({ name }) => name);

describe("rule H2: which fence holds", () => {
  test("rule H2, rule H3: in force on the staging commit, the attempt publishes under the hard fence and says so", async () => {
    for (const mode of ["auto", "required"] as const) {
      const end = await run(world(), mode);
      expect(code(end)).toBe("completed");
      expect(end.done.owned.merge?.fence).toBe("hard");
      expect(end.phases).toContain("verifyHardFence");
      expect(end.notes).toEqual([]);
    }
  });

  const absent: readonly [string, string | null, boolean, RegExp][] = [
    ["missing", null, true, /not installed.*perago fence install lakefs:\/\/repo\/main/],
    ["edited", action.text.replace("~= head", "== head"), true, /was edited.*perago fence install/],
    ["for another branch", otherBranch().text, true, /was edited/],
    ["newer", action.text.replace("version 1", "version 9"), true, /later version.*update this host/],
    ["not run by the server (fault D7)", action.text, false, /does not run it.*actions\.enabled/],
  ];

  test.for(absent)(
    "rule H2, fault D7: auto publishes under the soft fence where it is %s, and says what to do",
    async ([, text, runs, words]) => {
      const here = world(text);
      here.lakefs.runsActions = runs;
      const end = await run(here, "auto");
      expect(code(end)).toBe("completed");
      expect(end.done.owned.merge?.fence).toBe("soft");
      expect(notes(end)).toEqual(["soft_fence"]);
      expect(end.notes[0]?.message).toMatch(words);
    },
  );

  test.for(absent)(
    "rule H2: required refuses before the body where it is %s, naming target and mend",
    async ([, text, runs, words]) => {
      const here = world(text);
      here.lakefs.runsActions = runs;
      const head = here.lakefs.head();
      const end = await run(here, "required");
      expect(code(end)).toBe("publish_fence");
      expect(end.phases).not.toContain("syncIn");
      expect(here.lakefs.head()).toBe(head);
      expect(here.conductor.current.reason).toMatch(/rule H2 refuses repo\/main: PERAGO_HARD_FENCE is required/);
      expect(here.conductor.current.reason).toMatch(words);
    },
  );

  test("rule H2: off reads nothing of it, and a lost race is walked on", async () => {
    const here = world();
    const end = await run(here, "off");
    expect(code(end)).toBe("completed");
    expect(end.phases).not.toContain("verifyHardFence");
    expect(here.lakefs.calls).not.toContain("readHardFence");
    expect(end.done.owned.merge?.fence).toBe("soft");
    expect(end.notes).toEqual([]);
  });

  test("rule H2: an attempt that sends no merge claims no fence", async () => {
    const end = await run(world(), "auto", { body: () => undefined });
    expect(end.done.outcome).toMatchObject({ by: "no_op" });
    expect(end.done.owned.merge).toBeUndefined();
  });
});

describe("rule H3: lakeFS takes actions from the source of a merge", () => {
  /** Somebody takes the action from the staging branch, and the comparison with the plan does not see it. */
  const taken = (here: ReturnType<typeof world>): ExecutionOptions["before"] => ({
    commitStaging: () => here.lakefs.put(here.lakefs.stagingBranches()[0] ?? "", new Map([[action.path, null]])),
  });

  test("rule H3: required publishes nothing from a staging commit without the action", async () => {
    const here = world();
    const head = here.lakefs.head();
    const end = await run(here, "required", { before: taken(here) ?? {} });
    expect(code(end)).toBe("publish_fence");
    expect(end.phases).toContain("verifyHardFence");
    expect(end.phases).not.toContain("pinHead");
    expect(here.lakefs.head()).toBe(head);
    expect(here.lakefs.stagingBranches()).toEqual([]);
  });

  test("rule H3: auto goes on under the soft fence, and says so", async () => {
    const here = world();
    const end = await run(here, "auto", { before: taken(here) ?? {} });
    expect(end.done.owned.merge?.fence).toBe("soft");
    expect(notes(end)).toEqual(["soft_fence"]);
  });
});

describe("rule H1: a merge onto an unexpected head", () => {
  const foreignBeforeMerge = (here: ReturnType<typeof world>): ExecutionOptions["before"] => ({
    merge: () => void here.lakefs.commitForeign({ "data/z": "theirs" }),
  });

  test("rule H1, fault D1: is refused, and the reason names the head, who made it, and the mend", async () => {
    const here = world();
    const input = here.lakefs.head();
    const end = await run(here, "auto", { before: foreignBeforeMerge(here) ?? {} });
    const head = here.lakefs.head();
    expect(code(end)).toBe("publish_fence");
    expect(here.lakefs.tree(head).has("data/b")).toBe(false);
    expect(notes(end)).toEqual([]);
    const { reason } = here.conductor.current;
    expect(reason).toContain(`from ${input} to ${head} (by memory: by hand)`);
    expect(reason).toContain("the hard fence refused the merge");
    expect(reason).toContain(`start a new workflow whose input ref is the protected head ${head}`);
    expect(here.lakefs.stagingBranches()).toEqual([]);
  });

  test("rule C6, fault C2: without the action it lands and is publish_race", async () => {
    const here = world(null);
    const end = await run(here, "auto", { before: foreignBeforeMerge(here) ?? {} });
    expect(code(end)).toBe("publish_race");
    expect(notes(end)).toEqual(["soft_fence", "publish_race"]);
  });

  test("rule C5, fault B4: a refusal that answers the copy of a merge that landed completes", async () => {
    const here = world();
    const end = await run(here, "auto", {
      ports: ({ store }) => ({
        store: {
          ...(store ?? here.lakefs.store()),
          merge: (request): Promise<MergeOutcome> => {
            here.lakefs.merge(request);
            return Promise.resolve(here.lakefs.merge(request));
          },
        },
      }),
    });
    expect(code(end)).toBe("completed");
    expect(here.lakefs.head()).not.toBe(undefined);
  });
});

describe("rule P10: what a lost race in the range means", () => {
  /** An older attempt of the step has published under the soft fence, upon a head that it had not seen. */
  async function raced(): Promise<ReturnType<typeof world> & { input: string }> {
    const here = world();
    const input = here.lakefs.head();
    const ports: ExecutionOptions["ports"] = ({ source }) => ({
      source: { ...source, report: () => Promise.resolve() },
    });
    await run(here, "off", { ports: ports ?? (() => ({})) });
    const commit = here.lakefs.commits.get(here.lakefs.head());
    if (commit === undefined) throw new Error("nothing was published");
    const metadata = { ...commit.metadata, "perago.expected_head": "f".repeat(64) };
    here.lakefs.commits.set(commit.id, { ...commit, metadata });
    here.conductor.retry();
    return { ...here, input };
  }

  test("rule P10: with the hard fence in force it refuses before the body", async () => {
    const here = await raced();
    const end = await execute(here, { ref: here.input, body, facts: { hardFence: "auto" } });
    expect(code(end)).toBe("publish_fence");
    expect(end.phases).not.toContain("run");
    expect(here.conductor.current.reason).toContain("not on the head that it expected");
  });

  test("rule P10: with the soft fence it is walked on, and told", async () => {
    const here = await raced();
    const end = await execute(here, { ref: here.input, body, facts: { hardFence: "off" } });
    expect(code(end)).toBe("completed");
    expect(notes(end)).toContain("publish_race");
  });
});

function otherBranch(): HardFenceAction {
  return { ...hardFenceAction({ branch: "other" }), path: action.path };
}
