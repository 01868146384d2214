import { describe, expect, test } from "vitest";
import type { MergeOutcome, MergeRequest } from "../src/attempt/ports/target-store.ts";
import type { AttemptPorts } from "../src/attempt/driver.ts";
import { execute, type ExecutionEnd, type Folder } from "./world/execution.ts";
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

type Merge = (request: MergeRequest, count: number) => MergeOutcome;

function withMerge(merge: Merge): (ports: AttemptPorts) => Partial<AttemptPorts> {
  let count = 0;
  return (ports) => ({
    store: {
      ...(ports.store ?? neverStore()),
      merge: (request) => {
        count += 1;
        return Promise.resolve(merge(request, count));
      },
    },
  });
}

function neverStore(): never {
  throw new Error("no store");
}

const refused = (
  failureCode: "merge_conflict" | "target_dirty" | "target_protected" | "hook_refused",
): MergeOutcome => ({
  kind: "refused",
  code: failureCode,
  message: "lakeFS said no: hook words",
  hint: "see lakeFS",
});

describe("rule C5: after a merge was sent the history is read before any failure", () => {
  test("rule C5, fault B1: a merge that landed without an answer is found, and the attempt completes with one commit", async () => {
    const { lakefs, conductor } = world();
    const ports = withMerge((request) => {
      lakefs.merge(request);
      return { kind: "unknown", message: "connection reset" };
    });
    const end = await execute({ lakefs, conductor }, { body, ports });
    expect(end.done.outcome).toMatchObject({ kind: "completed", by: "commit", ref: lakefs.head() });
    expect(lakefs.stagingBranches()).toEqual([]);
  });

  test("rule C5, X2, fault B2: one that is not found is publish_unknown, never sent twice, and its branch is kept", async () => {
    const { lakefs, conductor } = world();
    let sent = 0;
    const ports = withMerge((_, count) => {
      sent = count;
      return { kind: "unknown", message: "time-out" };
    });
    const end = await execute({ lakefs, conductor }, { body, ports });
    expect(code(end)).toBe("publish_unknown");
    expect(sent).toBe(1);
    expect(conductor.current.reason).not.toContain("not published");
    expect(lakefs.stagingBranches()).toHaveLength(1);
    expect(end.removed).toBe(true);
  });

  test("rule C5, fault B4: a refusal that answers the copy of a landed merge completes", async () => {
    for (const answer of [refused("hook_refused"), refused("merge_conflict"), refused("target_dirty")]) {
      const { lakefs, conductor } = world();
      const ports = withMerge((request) => {
        lakefs.merge(request);
        return answer;
      });
      expect(code(await execute({ lakefs, conductor }, { body, ports }))).toBe("completed");
    }
  });

  test("rule C5: a busy answer and then a refusing fence are read back too", async () => {
    const { lakefs, conductor } = world();
    const ports = withMerge((request) => {
      lakefs.merge(request);
      return { kind: "busy", message: "429", retryAfterMs: 100 };
    });
    const end = await execute({ lakefs, conductor }, { body, ports });
    expect(end.phases).toContain("readHistory");
    expect(code(end)).toBe("completed");
  });

  test("fault B7, rule C5: a commit that only the staging commit's metadata names, off the target, proves nothing (case L09)", async () => {
    const { lakefs, conductor } = world();
    const ports = withMerge((request) => {
      const head = lakefs.head();
      lakefs.merge(request);
      const main = lakefs.branches.get("main");
      if (main !== undefined) main.head = head;
      return refused("hook_refused");
    });
    const end = await execute({ lakefs, conductor }, { body, ports });
    expect(code(end)).toBe("hook_refused");
    expect(conductor.current.reason).toContain("hook words");
  });

  test("fault B6, rule C5: an unreadable history is publish_unknown", async () => {
    const { lakefs, conductor } = world();
    let sent = false;
    const end = await execute(
      { lakefs, conductor },
      {
        body,
        ports: (ports) => {
          const store = ports.store ?? neverStore();
          const failing = () => Promise.reject(new TypeError("proxy"));
          return {
            observer: { ...ports.observer, unforeseen: () => undefined },
            store: {
              ...store,
              merge: () => {
                sent = true;
                return Promise.resolve(refused("hook_refused"));
              },
              readRange: (request) => (sent ? failing() : store.readRange(request)),
            },
          };
        },
      },
    );
    expect(code(end)).toBe("publish_unknown");
    expect(lakefs.stagingBranches()).toHaveLength(1);
  });
});

describe("rule C6: what was published lies on the pinned head", () => {
  test("rule C6: a commit that landed upon another head is publish_race, counted, and nothing is rolled back (C7)", async () => {
    const { lakefs, conductor } = world();
    const ports = withMerge((request) => {
      lakefs.commitForeign({ "other/y": "1" });
      return lakefs.merge(request);
    });
    const end = await execute({ lakefs, conductor }, { body, ports });
    expect(code(end)).toBe("publish_race");
    expect(end.notes.map(({ name }) => name)).toEqual(["publish_race"]);
    expect(lakefs.tree(lakefs.head()).get("data/b")).toBe("2");
    expect(conductor.current.status).toBe("FAILED");
  });

  test("rule C6: also where the commit is found by a read after an unknown outcome", async () => {
    const { lakefs, conductor } = world();
    const ports = withMerge((request) => {
      lakefs.commitForeign({ "other/y": "1" });
      lakefs.merge(request);
      return { kind: "unknown", message: "504" };
    });
    expect(code(await execute({ lakefs, conductor }, { body, ports }))).toBe("publish_race");
  });
});

describe("rule C8: refusals", () => {
  test("rule C8, case L05: conflict, dirty target, protected branch and hook each fail with their own code", async () => {
    for (const failureCode of ["merge_conflict", "target_dirty", "target_protected", "hook_refused"] as const) {
      const { lakefs, conductor } = world();
      const head = lakefs.head();
      const end = await execute({ lakefs, conductor }, { body, ports: withMerge(() => refused(failureCode)) });
      expect(code(end)).toBe(failureCode);
      expect(conductor.current.status).toBe("FAILED");
      expect(lakefs.head()).toBe(head);
      expect(lakefs.stagingBranches()).toEqual([]);
    }
  });

  test("fault E4, rule C8: 429 and 423 are tried again inside the budget, each time from the pin and the attempt check on", async () => {
    const { lakefs, conductor } = world();
    const ports = withMerge((request, count) =>
      count < 3 ? { kind: "busy", message: "429", retryAfterMs: 500 } : lakefs.merge(request),
    );
    const end = await execute({ lakefs, conductor }, { body, ports });
    expect(code(end)).toBe("completed");
    const tail = end.phases.slice(end.phases.indexOf("pinHead"), end.phases.indexOf("readPublished"));
    const round = ["pinHead", "recheckAttempt", "merge"];
    expect(tail).toEqual([...round, "pauseMerge", ...round, "pauseMerge", ...round]);
  });

  test("rule C4, C8: a server that stays busy past the merge budget fails as server_unavailable", async () => {
    const { lakefs, conductor } = world();
    const ports = withMerge(() => ({ kind: "busy", message: "429", retryAfterMs: 20_000 }));
    const end = await execute({ lakefs, conductor }, { body, ports });
    expect(code(end)).toBe("server_unavailable");
    expect(end.phases.filter((phase) => phase === "merge").length).toBe(3);
  });

  test("rule C4: the merge request is bounded by the budget's merge timeout, 60 s without one", async () => {
    const { lakefs, conductor } = world();
    const timeouts: number[] = [];
    const ports = withMerge((request) => {
      timeouts.push(request.timeoutMs);
      return lakefs.merge(request);
    });
    await execute({ lakefs, conductor }, { body, ports, facts: { mergeTimeoutMs: 45_000 } });
    expect(timeouts).toEqual([45_000]);
  });
});

describe("rule C9: a merge leaves only with lease and a young attempt check", () => {
  test("rule C9: a short lease is extended first, and the order begins again at the pin", async () => {
    const { lakefs, conductor } = world();
    let leaseMs = 10_000;
    const end = await execute(
      { lakefs, conductor },
      {
        body,
        ports: (ports) => ({
          lease: {
            ...ports.lease,
            deadlineMs: () => ports.clock.nowMs() + leaseMs,
            extend: () => {
              leaseMs = 600_000;
              return Promise.resolve();
            },
          },
        }),
      },
    );
    expect(code(end)).toBe("completed");
    const from = end.phases.indexOf("extendLease");
    expect(end.phases.slice(from, from + 4)).toEqual(["extendLease", "pinHead", "recheckAttempt", "merge"]);
  });

  test("rule C9, A1: a lease that has passed refuses at the second check", async () => {
    const { lakefs, conductor } = world();
    let expired = false;
    const end = await execute(
      { lakefs, conductor },
      {
        body,
        before: { recheckAttempt: () => void (expired = true) },
        ports: (ports) => ({ lease: { ...ports.lease, deadlineMs: () => (expired ? -1 : 600_000) } }),
      },
    );
    expect(code(end)).toBe("attempt_stale");
    expect(lakefs.calls).not.toContain("merge");
  });

  test("rule C9: a process that stood still between check and merge sends nothing and begins again (fault C1)", async () => {
    const { lakefs, conductor } = world();
    let extraMs = 0;
    const end = await execute(
      { lakefs, conductor },
      {
        body,
        before: {
          merge: () => {
            if (extraMs === 0) extraMs = 6000;
          },
        },
        ports: (ports) => ({ clock: { ...ports.clock, nowMs: () => ports.clock.nowMs() + extraMs } }),
      },
    );
    expect(code(end)).toBe("completed");
    expect(lakefs.calls.filter((call) => call === "merge")).toHaveLength(1);
    expect(end.phases.filter((phase) => phase === "recheckAttempt")).toHaveLength(2);
  });
});
