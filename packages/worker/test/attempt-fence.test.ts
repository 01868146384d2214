import { describe, expect, test } from "vitest";
import { execute, returned, type ExecutionEnd, type Folder } from "./world/execution.ts";
import { MemoryConductor } from "./world/memory-conductor.ts";
import { MemoryLakefs } from "./world/memory-lakefs.ts";

function world(): { lakefs: MemoryLakefs; conductor: MemoryConductor } {
  return { lakefs: new MemoryLakefs({ "data/a": "1" }), conductor: new MemoryConductor() };
}

const body = (folder: Folder): void => void folder.set("data/b", "2");

function code(end: ExecutionEnd): string {
  const { outcome } = end.done;
  return outcome.kind === "failed" ? outcome.failure.code : outcome.kind;
}

describe("rules A1, A2, A3: only the current attempt publishes", () => {
  test("rule A2: an attempt that ended during the body stages nothing", async () => {
    const { lakefs, conductor } = world();
    const before = { seal: () => conductor.retry() };
    const end = await execute({ lakefs, conductor }, { body, before });
    expect(code(end)).toBe("attempt_stale");
    expect(lakefs.calls).not.toContain("commitStaging");
    expect(lakefs.stagingBranches()).toEqual([]);
    expect(end.removed).toBe(true);
  });

  test("rule A2, S5: an attempt that ended while it staged publishes nothing, and its branch is gone", async () => {
    const { lakefs, conductor } = world();
    const end = await execute({ lakefs, conductor }, { body, before: { recheckAttempt: () => conductor.retry() } });
    expect(code(end)).toBe("attempt_stale");
    expect(lakefs.calls).not.toContain("merge");
    expect(lakefs.stagingBranches()).toEqual([]);
  });

  test("fault C3, rule A2, P5: the second check comes after the head is pinned", async () => {
    const { lakefs, conductor } = world();
    const end = await execute({ lakefs, conductor }, { body });
    const last = end.phases.slice(0, end.phases.indexOf("merge") + 1).slice(-3);
    expect(last).toEqual(["pinHead", "recheckAttempt", "merge"]);
  });

  test("rule A3: where another execution holds the attempt nothing is reported, and cleanup still runs", async () => {
    for (const change of [{ workerId: "host-b" }, { pollCount: 2 }, { scheduledTime: 999_999 }]) {
      const { lakefs, conductor } = world();
      const before = { recheckAttempt: () => void Object.assign(conductor.current, change) };
      const end = await execute({ lakefs, conductor }, { body, before });
      expect(code(end)).toBe("silent");
      expect(conductor.reports).toEqual([]);
      expect(end.done.reported).toBe("not_sent");
      expect(lakefs.stagingBranches()).toEqual([]);
      expect(end.removed).toBe(true);
    }
  });

  test("rule A1: an attempt that nobody disturbed is accepted twice", async () => {
    const { lakefs, conductor } = world();
    const end = await execute({ lakefs, conductor }, { body });
    expect(code(end)).toBe("completed");
    expect(end.phases.filter((phase) => phase === "checkAttempt" || phase === "recheckAttempt")).toHaveLength(2);
  });
});

describe("rules A4 and A5: a body is ended early", () => {
  test("rule A4: the signal of a lost attempt cancels the body, and nothing is staged", async () => {
    const { lakefs, conductor } = world();
    const cancelled: string[] = [];
    let tellHost = (): void => undefined;
    const end = await execute(
      { lakefs, conductor },
      {
        before: {
          run: (tell) => {
            tellHost = () => tell({ kind: "attempt_lost", reason: "the workflow was terminated" });
          },
        },
        ports: (ports) => ({
          executor: {
            ...ports.executor,
            run: () => {
              tellHost();
              return Promise.resolve({ kind: "lost", message: "killed" });
            },
            cancel: (reason, graceMs) => void cancelled.push(`${reason} ${graceMs}`),
          },
        }),
      },
    );
    expect(cancelled).toEqual(["the workflow was terminated 5000"]);
    expect(code(end)).toBe("attempt_stale");
    expect(lakefs.calls).not.toContain("createStagingBranch");
  });

  test("rule A4: a signal before the body keeps it from starting", async () => {
    const { lakefs, conductor } = world();
    const before = {
      syncIn: (tell: (signal: { kind: "shutdown"; reason: string }) => void) =>
        tell({ kind: "shutdown", reason: "SIGTERM" }),
    };
    const end = await execute({ lakefs, conductor }, { before });
    expect(code(end)).toBe("executor_lost");
    expect(end.phases).not.toContain("run");
    expect(end.removed).toBe(true);
  });

  test("rule A5: a body past the task's timeoutSeconds is FAILED body_timeout, even when it returns", async () => {
    const { lakefs, conductor } = world();
    const end = await execute(
      { lakefs, conductor },
      {
        facts: { bodyTimeoutMs: 1000 },
        ports: (ports) => ({
          clock: { ...ports.clock, wait: () => Promise.resolve() },
          executor: {
            ...ports.executor,
            run: async () => {
              await Promise.resolve().then(() => undefined);
              return returned;
            },
          },
        }),
      },
    );
    expect(code(end)).toBe("body_timeout");
    expect(lakefs.calls).not.toContain("createStagingBranch");
  });

  test("rule A5: without a limit no body is ended", async () => {
    const { lakefs, conductor } = world();
    expect(code(await execute({ lakefs, conductor }, { body, facts: { bodyTimeoutMs: 0 } }))).toBe("completed");
  });
});
