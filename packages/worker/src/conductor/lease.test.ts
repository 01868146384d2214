import { describe, expect, it } from "vitest";
import type { AttemptIdentity, AttemptRead } from "@perago/fence";
import { ConductorError } from "./errors.ts";
import { createLease, type LeaseServer, type StartedLease } from "./lease.ts";
import { leaseTimes } from "./lease-times.ts";
import { createFakeClock, type FakeClock } from "./testing/fake-clock.ts";

const held: AttemptIdentity = {
  workflowInstanceId: "wf-1",
  taskId: "task-1",
  retryCount: 0,
  scheduledTime: 7,
  pollCount: 1,
  workerId: "host-abcdef",
};

function noAnswer(mayHaveLanded: boolean): ConductorError {
  return new ConductorError({
    code: mayHaveLanded ? "conductor_no_answer" : "conductor_unreachable",
    message: "x",
    hint: "y",
    retryable: true,
    mayHaveLanded,
  });
}

interface Scene {
  readonly clock: FakeClock;
  readonly lease: StartedLease;
  readonly lost: string[];
  readonly calls: string[];
  readonly server: { beat: () => Promise<void>; read: () => Promise<AttemptRead> };
}

function scene(
  options: { responseTimeoutSeconds?: number; heartbeatIntervalSeconds?: number; polledAgoMs?: number } = {},
): Scene {
  const clock = createFakeClock();
  const lost: string[] = [];
  const calls: string[] = [];
  const server = {
    beat: async (): Promise<void> => {},
    read: async (): Promise<AttemptRead> => ({ ...held, status: "IN_PROGRESS" }),
  };
  const port: LeaseServer = {
    heartbeat: async () => {
      calls.push(`beat@${clock.nowMs() - 1_000_000}`);
      await server.beat();
    },
    read: async () => {
      calls.push(`read@${clock.nowMs() - 1_000_000}`);
      return await server.read();
    },
  };
  const lease = createLease({
    held,
    pollSentAtMs: clock.nowMs() - (options.polledAgoMs ?? 0),
    times: leaseTimes({
      responseTimeoutSeconds: options.responseTimeoutSeconds ?? 30,
      ...(options.heartbeatIntervalSeconds === undefined
        ? {}
        : { heartbeatIntervalSeconds: options.heartbeatIntervalSeconds }),
    }),
    server: port,
    clock,
    events: { onLost: (reason) => lost.push(reason), onTrouble() {} },
  });
  return { clock, lease, lost, calls, server };
}

describe("lease", () => {
  it("rule A1: the deadline counts from the sending of the poll, and then from the sending of an answered heartbeat", async () => {
    const { clock, lease, server } = scene({ polledAgoMs: 900 });
    await lease.start();
    expect(lease.deadlineMs()).toBe(1_000_000 - 900 + 30_000);
    server.beat = () => clock.wait(3_000);
    await clock.advance(13_500);
    expect(lease.deadlineMs()).toBe(1_000_000 + 10_000 + 30_000);
  });

  it("rule A1: a heartbeat without an answer does not move the deadline", async () => {
    const { clock, lease, server } = scene();
    await lease.start();
    server.beat = () => Promise.reject(noAnswer(true));
    await clock.advance(12_000);
    expect(lease.deadlineMs()).toBe(1_030_000);
  });

  it("rule A4: each heartbeat is followed by a read, at the cadence of a third of the lease", async () => {
    const { clock, lease, calls, lost } = scene();
    await lease.start();
    await clock.advance(31_000);
    expect(calls).toEqual(["beat@10000", "read@10000", "beat@20000", "read@20000", "beat@30000", "read@30000"]);
    expect(lost).toEqual([]);
  });

  it("rule A4: the publish budget's interval is the cadence where it is shorter than a third of the lease", async () => {
    const { clock, lease, calls } = scene({ responseTimeoutSeconds: 600, heartbeatIntervalSeconds: 10 });
    await lease.start();
    await clock.advance(10_000);
    expect(calls).toEqual(["beat@10000", "read@10000"]);
  });

  it("rule A4, case R04: an answered heartbeat proves nothing, the read tells that the task has ended, once", async () => {
    const { clock, lease, lost, server } = scene();
    server.read = async () => ({ ...held, status: "CANCELED" });
    await lease.start();
    await clock.advance(100_000);
    expect(lost).toEqual(["not_in_progress: the task is CANCELED"]);
  });

  it("rule A4: another holder of the attempt is told", async () => {
    const { clock, lease, lost, server } = scene();
    server.read = async () => ({ ...held, pollCount: 2, workerId: "other", status: "IN_PROGRESS" });
    await lease.start();
    await clock.advance(10_000);
    expect(lost).toHaveLength(1);
    expect(lost[0]).toContain("other_worker");
  });

  it("rule A4: a read without an answer is no loss while the lease stands", async () => {
    const { clock, lease, lost, server } = scene();
    server.read = () => Promise.reject(noAnswer(true));
    await lease.start();
    await clock.advance(60_000);
    expect(lost).toEqual([]);
  });

  it("case R01: the own deadline ends the attempt when no heartbeat is answered, and none is sent after it", async () => {
    const { clock, lease, lost, server, calls } = scene();
    server.beat = () => Promise.reject(noAnswer(false));
    server.read = () => Promise.reject(noAnswer(false));
    await lease.start();
    await clock.advance(29_999);
    expect(lost).toEqual([]);
    await clock.advance(1);
    expect(lost).toHaveLength(1);
    expect(lost[0]).toContain("lease_expired");
    await clock.advance(60_000);
    expect(calls.filter((call) => call.startsWith("beat@") && Number(call.slice(5)) >= 30_000)).toEqual([]);
  });

  it("a heartbeat goes first where less than two thirds of the lease is left at receipt", async () => {
    const short = scene({ responseTimeoutSeconds: 2, polledAgoMs: 900 });
    await short.lease.start();
    expect(short.calls).toEqual(["beat@0"]);
    const long = scene({ responseTimeoutSeconds: 30, polledAgoMs: 900 });
    await long.lease.start();
    expect(long.calls).toEqual([]);
  });

  it("a response timeout of 0 is no lease: no heartbeat, no deadline, and still a look at the attempt", async () => {
    const { clock, lease, calls, lost, server } = scene({ responseTimeoutSeconds: 0 });
    await lease.start();
    expect(lease.deadlineMs()).toBe(Infinity);
    await lease.extend();
    await clock.advance(20_000);
    expect(calls).toEqual(["read@10000", "read@20000"]);
    server.read = async () => null;
    await clock.advance(10_000);
    expect(lost).toEqual(["not_found: Conductor does not know the task"]);
  });

  it("rule R4, case R05: stop waits for the heartbeat in flight and sends none after it", async () => {
    const { clock, lease, server, calls } = scene();
    server.beat = () => clock.wait(5_000);
    await lease.start();
    await clock.advance(12_000);
    let stopped = false;
    const stop = lease.stop().then((end) => {
      stopped = true;
      return end;
    });
    await clock.advance(2_000);
    expect(stopped).toBe(false);
    await clock.advance(1_000);
    expect(await stop).toEqual({ unanswered: false });
    await lease.extend();
    await clock.advance(60_000);
    expect(calls).toEqual(["beat@10000"]);
  });

  it("rule R4: a heartbeat that ended without an answer is remembered, one that was never sent is not", async () => {
    for (const mayHaveLanded of [true, false]) {
      const { clock, lease, server } = scene();
      server.beat = () => Promise.reject(noAnswer(mayHaveLanded));
      await lease.start();
      await clock.advance(10_000);
      server.beat = async () => {};
      await clock.advance(10_000);
      expect(await lease.stop()).toEqual({ unanswered: mayHaveLanded });
    }
  });

  it("no loss is told after stop", async () => {
    const { clock, lease, server, lost } = scene();
    const gate = Promise.withResolvers<AttemptRead>();
    server.read = () => gate.promise;
    await lease.start();
    await clock.advance(10_000);
    await lease.stop();
    gate.resolve(null);
    await clock.advance(60_000);
    expect(lost).toEqual([]);
  });

  it("rule C9: extend sends a heartbeat now, after the one in flight", async () => {
    const { clock, lease, server, calls } = scene();
    server.beat = () => clock.wait(1_000);
    await lease.start();
    await clock.advance(10_500);
    const extended = lease.extend();
    await clock.advance(2_000);
    await extended;
    expect(calls.filter((call) => call.startsWith("beat"))).toEqual(["beat@10000", "beat@11000"]);
    expect(lease.deadlineMs()).toBe(1_041_000);
  });

  it("rule C9: extend says when no answer came, and the deadline stays", async () => {
    const { lease, server } = scene();
    server.beat = () => Promise.reject(noAnswer(true));
    await lease.start();
    const deadlineMs = lease.deadlineMs();
    await expect(lease.extend()).rejects.toMatchObject({ code: "server_unavailable" });
    expect(lease.deadlineMs()).toBe(deadlineMs);
  });
});
