import { describe, expect, test } from "vitest";
import { AttemptError } from "../src/failure.ts";
import type { AttemptPorts } from "../src/attempt/driver.ts";
import { execute, type Folder } from "./world/execution.ts";
import { MemoryConductor } from "./world/memory-conductor.ts";
import { MemoryLakefs } from "./world/memory-lakefs.ts";

function world(): { lakefs: MemoryLakefs; conductor: MemoryConductor } {
  return { lakefs: new MemoryLakefs({ "data/a": "1" }), conductor: new MemoryConductor() };
}

const body = (folder: Folder): void => void folder.set("data/b", "2");
const away = () => Promise.reject(new AttemptError({ code: "server_unavailable", message: "503", hint: "" }));

describe("rule R4: the report", () => {
  test("rule R4: the heartbeats have ended before the task is read and the result is sent", async () => {
    const { lakefs, conductor } = world();
    const end = await execute({ lakefs, conductor }, { body });
    const order = ["stopLease", "readForReport", "report", "readBack"] as const;
    const places = order.map((phase) => end.phases.indexOf(phase));
    expect(places).toEqual(places.toSorted((left, right) => left - right));
  });

  test("fault A6, fault B10, rule R4, R13: a report that fails is repeated with a read before each sending, until it is taken", async () => {
    const { lakefs, conductor } = world();
    let failures = 3;
    const end = await execute(
      { lakefs, conductor },
      {
        body,
        ports: ({ source }) => ({
          source: { ...source, report: (...args) => (failures-- > 0 ? away() : source.report(...args)) },
        }),
      },
    );
    expect(end.done.reported).toBe("accepted");
    expect(end.phases.filter((phase) => phase === "readForReport")).toHaveLength(4);
    expect(conductor.current.status).toBe("COMPLETED");
  });

  test("rule R4: it is given up at the lease deadline, loudly, and what was published stays", async () => {
    const { lakefs, conductor } = world();
    const end = await execute(
      { lakefs, conductor },
      {
        body,
        ports: (ports) => ({
          source: { ...ports.source, report: away },
          lease: { ...ports.lease, deadlineMs: () => 100_000 },
        }),
      },
    );
    expect(end.done.reported).toBe("undelivered");
    expect(end.notes.map(({ name }) => name)).toEqual(["result_undelivered"]);
    expect(lakefs.tree(lakefs.head()).get("data/b")).toBe("2");
  });

  test("rule R4, R6: after a heartbeat without an answer the read-back is repeated, and a task written back is reported again", async () => {
    const { lakefs, conductor } = world();
    const waits: number[] = [];
    let struck = false;
    const ports = ({ lease, clock }: AttemptPorts): Partial<AttemptPorts> => ({
      lease: { ...lease, stop: () => Promise.resolve({ unanswered: true }) },
      clock: {
        ...clock,
        wait: (delayMs, signal) => {
          waits.push(delayMs);
          // The late heartbeat writes the whole task back as it had read it.
          if (!struck) conductor.current.status = "IN_PROGRESS";
          struck = true;
          return clock.wait(delayMs, signal);
        },
      },
    });
    const end = await execute({ lakefs, conductor }, { body, ports });
    expect(waits[0]).toBe(1000);
    expect(end.phases.filter((phase) => phase === "report")).toHaveLength(2);
    expect(conductor.current.status).toBe("COMPLETED");
  });
});

describe("rule R6: what the engine did with the result", () => {
  test("rule R6, case R06: a result that the engine dropped is noted, and nothing is undone", async () => {
    const { lakefs, conductor } = world();
    const before = { report: () => conductor.retry() };
    const end = await execute({ lakefs, conductor }, { body, before });
    expect(end.done.reported).toBe("dropped");
    expect(end.notes.map(({ name }) => name)).toEqual(["result_dropped"]);
    expect(lakefs.tree(lakefs.head()).get("data/b")).toBe("2");
  });

  test("rule R6: a COMPLETED whose output did not arrive is dropped", async () => {
    const { lakefs, conductor } = world();
    const before = { readBack: () => void (conductor.current.output = {}) };
    const end = await execute({ lakefs, conductor }, { body, before });
    expect(end.notes.map(({ name }) => name)).toEqual(["result_dropped"]);
  });
});

describe("rule R8: only this delivery's result is sent", () => {
  test("rule R8: an ended task gets nothing", async () => {
    const { lakefs, conductor } = world();
    const before = { readForReport: () => void (conductor.current.status = "TIMED_OUT") };
    const end = await execute({ lakefs, conductor }, { body, before });
    expect(conductor.reports).toEqual([]);
    expect(end.notes.map(({ name }) => name)).toEqual(["result_not_ours"]);
  });

  test("rule R8: COMPLETED with an own commit goes to the same delivery whoever polled it again, FAILED does not", async () => {
    for (const publishes of [true, false]) {
      const { lakefs, conductor } = world();
      const before = {
        readForReport: () => void Object.assign(conductor.current, { workerId: "host-b", pollCount: 2 }),
      };
      const outcome = { kind: "failed", message: "no rows" } as const;
      await execute({ lakefs, conductor }, { before, body: (folder) => (publishes ? body(folder) : outcome) });
      expect(conductor.reports).toHaveLength(publishes ? 1 : 0);
    }
  });

  test("rule R8, S12: a rerun's delivery gets no result of the older one", async () => {
    const { lakefs, conductor } = world();
    const before = {
      readForReport: () => (conductor.rerun(), void Object.assign(conductor.current, { status: "IN_PROGRESS" })),
    };
    await execute({ lakefs, conductor }, { body, before });
    expect(conductor.reports).toEqual([]);
  });
});
