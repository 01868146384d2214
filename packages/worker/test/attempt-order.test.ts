import { describe, expect, test } from "vitest";
import { execute } from "./world/execution.ts";
import { MemoryConductor } from "./world/memory-conductor.ts";
import { MemoryLakefs } from "./world/memory-lakefs.ts";

describe("one attempt on a target at its input ref", () => {
  test("rule P1, C1, C2, A2, P5: publishes upon the input ref, in the order pin, check, merge", async () => {
    const lakefs = new MemoryLakefs({ "data/a": "1", "other/x": "kept" });
    const conductor = new MemoryConductor();
    const input = lakefs.head();
    const end = await execute({ lakefs, conductor }, { body: (folder) => void folder.set("data/b", "2") });
    expect(end.done.outcome).toMatchObject({ kind: "completed", by: "commit", ref: lakefs.head() });
    expect(end.done.reported).toBe("accepted");
    const commit = lakefs.commits.get(lakefs.head());
    expect(commit?.parents).toEqual([input]);
    expect(Object.fromEntries(lakefs.tree(lakefs.head()))).toEqual({ "data/a": "1", "data/b": "2", "other/x": "kept" });
    expect(end.phases).toMatchInlineSnapshot(`
      [
        "validate",
        "resolve",
        "fenceEarly",
        "syncIn",
        "checkPre",
        "run",
        "openStaging",
        "seal",
        "project",
        "checkAttempt",
        "fenceBase",
        "createStaging",
        "stage",
        "commitStaging",
        "verifyStaging",
        "pinHead",
        "recheckAttempt",
        "merge",
        "readPublished",
        "stopLease",
        "readForReport",
        "report",
        "readBack",
        "deleteStaging",
        "removeFolder",
        "releaseExecutor",
      ]
    `);
    expect(conductor.current.status).toBe("COMPLETED");
    expect(lakefs.stagingBranches()).toEqual([]);
    expect(end.removed).toBe(true);
  });
});
