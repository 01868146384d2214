import { describe, expect, test } from "vitest";
import type { ExecutionEnd } from "./world/execution.ts";
import { execute, inputFor } from "./world/execution.ts";
import { MemoryConductor } from "./world/memory-conductor.ts";
import { MemoryLakefs } from "./world/memory-lakefs.ts";

const first = { "data/a": "1", "other/x": "kept" };

function world(): { lakefs: MemoryLakefs; conductor: MemoryConductor; ref: string } {
  const lakefs = new MemoryLakefs(first);
  return { lakefs, conductor: new MemoryConductor(), ref: lakefs.head() };
}

function code(end: ExecutionEnd): string {
  const { outcome } = end.done;
  return outcome.kind === "failed" ? outcome.failure.code : outcome.kind;
}

const lostReport = { report: () => Promise.resolve() };

describe("rule P2: a retry supersedes what an older attempt of the same logical task published", () => {
  test("rule P2, T4, S4: the projection is exact, also without the first attempt's files (fault A5, case L02)", async () => {
    const { lakefs, conductor, ref } = world();
    const ports = ({ source }: { source: object }) => ({ source: { ...source, ...lostReport } as never });
    await execute(
      { lakefs, conductor },
      { ref, ports, body: (folder) => void folder.set("data/only-first", "1").set("data/b", "1") },
    );
    const published = lakefs.head();
    expect(lakefs.tree(published).has("data/only-first")).toBe(true);
    conductor.retry();
    const end = await execute({ lakefs, conductor }, { ref, body: (folder) => void folder.set("data/b", "2") });
    expect(end.done.outcome).toMatchObject({ kind: "completed", by: "commit", ref: lakefs.head() });
    expect(Object.fromEntries(lakefs.tree(lakefs.head()))).toEqual({ ...first, "data/b": "2" });
    expect(lakefs.commits.get(lakefs.head())?.metadata).toMatchObject({
      "perago.supersedes": published,
      "perago.expected_head": published,
      "perago.input_ref": ref,
    });
  });

  test("rule T4, T1: a head that moved while the body ran gets a branch of its own, and none stays", async () => {
    const { lakefs, conductor, ref } = world();
    const older = {
      ref,
      ports: ({ source }: { source: object }) => ({ source: { ...source, ...lostReport } as never }),
    };
    await execute({ lakefs, conductor }, { ...older, body: (folder) => void folder.set("data/only-first", "1") });
    const published = lakefs.head();
    // The older attempt's merge lands when the newer one's branch has been begun.
    lakefs.rewind(ref);
    conductor.retry();
    const bases: (string | undefined)[] = [];
    const baseNow = (): void => {
      for (const name of lakefs.stagingBranches()) bases.push(lakefs.branches.get(name)?.head);
    };
    const end = await execute(
      { lakefs, conductor },
      {
        ref,
        body: (folder) => void folder.set("data/b", "2"),
        before: {
          seal: () => lakefs.rewind(published),
          discardStaging: baseNow,
          stage: baseNow,
        },
      },
    );
    expect(code(end)).toBe("completed");
    expect(Object.fromEntries(lakefs.tree(lakefs.head()))).toEqual({ ...first, "data/b": "2" });
    expect(bases).toEqual([ref, published]);
    expect(lakefs.stagingBranches()).toEqual([]);
  });

  test("rule C3, case L02: a retry that makes the same bytes ends COMPLETED with a commit of its own", async () => {
    const { lakefs, conductor, ref } = world();
    const body = (folder: Map<string, string>): void => void folder.set("data/b", "same");
    await execute(
      { lakefs, conductor },
      { ref, body, ports: ({ source }) => ({ source: { ...source, ...lostReport } }) },
    );
    const published = lakefs.head();
    conductor.retry();
    const end = await execute({ lakefs, conductor }, { ref, body });
    expect(code(end)).toBe("completed");
    expect(lakefs.head()).not.toBe(published);
    expect(lakefs.tree(lakefs.head())).toEqual(lakefs.tree(published));
  });
});

describe("rule P3: what is not this logical task's refuses, and the target stays as it was", () => {
  test("rule P5, P3: a foreign commit that is already there ends the attempt before the body", async () => {
    const { lakefs, conductor, ref } = world();
    const head = lakefs.commitForeign({ "data/z": "foreign" });
    const end = await execute({ lakefs, conductor }, { ref });
    expect(code(end)).toBe("publish_fence");
    expect(end.phases).not.toContain("run");
    expect(end.phases).not.toContain("syncIn");
    expect(lakefs.head()).toBe(head);
    expect(conductor.current.reason).toContain(head);
    expect(conductor.current.reason).toContain("by hand");
    expect(conductor.current.reason).toContain("start a new workflow");
  });

  test("rule P5: a foreign commit during the body refuses before staging", async () => {
    const { lakefs, conductor, ref } = world();
    const end = await execute(
      { lakefs, conductor },
      { ref, before: { seal: () => void lakefs.commitForeign({ "x/y": "1" }) } },
    );
    expect(code(end)).toBe("publish_fence");
    expect(end.phases).not.toContain("createStaging");
    expect(lakefs.calls).not.toContain("merge");
  });

  test("rule P5: the last evaluation follows no moved head, not even an own one", async () => {
    const { lakefs, conductor, ref } = world();
    const strike = (): void => {
      const [staging] = lakefs.stagingBranches();
      const own = lakefs.commits.get(lakefs.branches.get(staging ?? "")?.head ?? "")?.metadata ?? {};
      const older = { ...own, "perago.phase": "confirm", "perago.task_id": "task-0", "perago.scheduled_time": "1" };
      lakefs.commitForeign({}, older);
    };
    const body = (folder: Map<string, string>): void => void folder.set("data/b", "2");
    const end = await execute({ lakefs, conductor }, { ref, body, before: { pinHead: strike } });
    expect(code(end)).toBe("publish_fence");
    expect(lakefs.calls).not.toContain("merge");
    expect(lakefs.stagingBranches()).toEqual([]);
  });

  test("fault D10, rule P3: a try commit or a commit of another task on the target refuses", async () => {
    for (const metadata of [
      { "perago.phase": "try" },
      { "perago.phase": "confirm", "perago.logical_task_key": "wf-2:build:0:x" },
    ]) {
      const { lakefs, conductor, ref } = world();
      lakefs.commitForeign({}, metadata);
      expect(code(await execute({ lakefs, conductor }, { ref }))).toBe("publish_fence");
    }
  });
});

describe("rules P8 and P9: deliveries", () => {
  test("fault D6, rule P8: a newer delivery's commit is never superseded", async () => {
    const { lakefs, conductor, ref } = world();
    const old = conductor.poll(inputFor(ref));
    conductor.retry();
    await execute({ lakefs, conductor }, { ref, body: (folder) => void folder.set("data/b", "new") });
    const end = await execute({ lakefs, conductor }, { ref, polled: old });
    expect(code(end)).toBe("superseded_by_newer");
    expect(end.phases).not.toContain("run");
  });

  test("rule P9: a redelivery adopts its own commit where the projection is the same, without another one", async () => {
    const { lakefs, conductor, ref } = world();
    const body = (folder: Map<string, string>): void => void folder.set("data/b", "2");
    await execute(
      { lakefs, conductor },
      { ref, body, ports: ({ source }) => ({ source: { ...source, ...lostReport } }) },
    );
    const published = lakefs.head();
    const end = await execute({ lakefs, conductor }, { ref, body });
    expect(end.done.outcome).toMatchObject({ kind: "completed", by: "adoption", ref: published });
    expect(end.phases.indexOf("recheckAttempt")).toBeGreaterThan(end.phases.indexOf("compareOwn"));
    expect(end.phases).not.toContain("createStaging");
    expect(lakefs.head()).toBe(published);
  });

  test("rule P9: a redelivery with another projection is FAILED already_published", async () => {
    const { lakefs, conductor, ref } = world();
    const lost = { ports: ({ source }: { source: object }) => ({ source: { ...source, ...lostReport } as never }) };
    await execute({ lakefs, conductor }, { ref, ...lost, body: (folder) => void folder.set("data/b", "2") });
    const published = lakefs.head();
    const end = await execute({ lakefs, conductor }, { ref, body: (folder) => void folder.set("data/b", "other") });
    expect(code(end)).toBe("already_published");
    expect(lakefs.head()).toBe(published);
  });

  test("fault C11, rule P8, P9: a rerun and a restart supersede what the older delivery published (case R16)", async () => {
    for (const again of ["rerun", "schedule"] as const) {
      const { lakefs, conductor, ref } = world();
      await execute({ lakefs, conductor }, { ref, body: (folder) => void folder.set("data/b", "1") });
      const published = lakefs.head();
      conductor[again]();
      const end = await execute({ lakefs, conductor }, { ref, body: (folder) => void folder.set("data/b", "2") });
      expect(code(end)).toBe("completed");
      expect(lakefs.commits.get(lakefs.head())?.metadata["perago.supersedes"]).toBe(published);
    }
  });

  test("rule P10: with the soft fence a commit that lost a race is walked on, and counted", async () => {
    const { lakefs, conductor, ref } = world();
    await execute({ lakefs, conductor }, { ref, body: (folder) => void folder.set("data/b", "1") });
    const raced = lakefs.commits.get(lakefs.head());
    lakefs.commits.set(lakefs.head(), {
      ...raced,
      metadata: { ...raced?.metadata, "perago.expected_head": "f".repeat(64) },
    } as never);
    conductor.rerun();
    const end = await execute({ lakefs, conductor }, { ref, body: (folder) => void folder.set("data/b", "2") });
    expect(code(end)).toBe("completed");
    expect(end.notes.map(({ name }) => name)).toContain("publish_race");
  });
});
