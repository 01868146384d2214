import { describe, expect, test } from "vitest";
import { releasingEarly } from "../src/attempt/early-release.ts";
import { AttemptError } from "../src/failure.ts";
import { execute, type ExecutionEnd } from "./world/execution.ts";
import { MemoryConductor } from "./world/memory-conductor.ts";
import { MemoryLakefs } from "./world/memory-lakefs.ts";

interface Seen extends ExecutionEnd {
  readonly order: readonly string[];
}

/** Runs a workspace-free attempt that gives its executor back early, and notes in which order things happen. */
async function run(strike: { readonly report?: number; readonly release?: boolean } = {}): Promise<Seen> {
  const order: string[] = [];
  const conductor = new MemoryConductor();
  let reportCount = 0;
  const end = await execute(
    { lakefs: new MemoryLakefs({}), conductor },
    {
      workspace: null,
      input: { params: {} },
      ports: (ports) => {
        const { source, executor } = ports;
        const away = new AttemptError({ code: "server_unavailable", message: "away", hint: "" });
        const watched = {
          ...ports,
          source: {
            read: async (taskId: string) => {
              order.push("read");
              return source.read(taskId);
            },
            report: async (...report: Parameters<typeof source.report>) => {
              order.push("report");
              reportCount += 1;
              if (reportCount <= (strike.report ?? 0)) throw away;
              await source.report(...report);
            },
          },
          executor: {
            ...executor,
            release: async () => {
              order.push("release");
              if (strike.release === true) throw away;
              await executor.release();
            },
          },
        };
        return releasingEarly(watched, () => order.push("free"));
      },
    },
  );
  return { ...end, order };
}

describe("a task without a workspace", () => {
  test("rule R6: its slot is free once the engine has the result, which is read back behind it", async () => {
    const { order, done, notes } = await run();
    expect(order).toEqual(["report", "release", "free", "read"]);
    expect(done.reported).toBe("accepted");
    expect(notes).toEqual([]);
  });

  test("rule R4: a result that could not be sent keeps the slot until it was sent again", async () => {
    const { order, done } = await run({ report: 1 });
    expect(order.filter((what) => what !== "read")).toEqual(["report", "report", "release", "free"]);
    expect(done.reported).toBe("accepted");
  });

  test("rule X1: an executor that cannot be given back frees no slot early, and is told of once", async () => {
    const { order, done, notes } = await run({ release: true });
    expect(order).toEqual(["report", "release", "read"]);
    expect(done.reported).toBe("accepted");
    expect(notes).toMatchObject([{ name: "cleanup_failed" }]);
  });
});
