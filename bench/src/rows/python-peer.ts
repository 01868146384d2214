import { randomBytes } from "node:crypto";
import { registerTaskDef, registerWorkflow, startWorkflow } from "@perago/e2e/support/conductor.ts";
import { until } from "@perago/e2e/support/until.ts";
import { alternate } from "../alternate.ts";
import type { Measurement, Surroundings } from "../measurement.ts";
import type { Samples } from "../row.ts";
import { processTree, proportionalBytes } from "../world/proc.ts";
import { installPythonPeer, type PythonPeer } from "../world/python-peer.ts";
import { attemptMs, completed, untilSettled } from "../world/session.ts";
import { treePath } from "../world/tree.ts";
import { attemptOn, prepareTree, stamp, warmHost, type TreeWork } from "./attempt.ts";
import { SHAPE as THOUSAND_FILES } from "./thousand-files.ts";

const SLOTS = 4;
const MIB = 1024 ** 2;
/** A process tree counts as started when it has not grown for so long. */
const STEADY_MS = 3000;
const STEADY_TIMEOUT_MS = 60_000;

/** B10 and B13: the same job in Python, at rest and at work. */
export const pythonPeer: Measurement = {
  rows: [
    {
      id: "B10",
      work: "proportional memory of the whole process tree, 4 idle slots",
      against: "the Python peer -j 4",
      unit: "MiB",
      decimals: 0,
      bound: { figure: "ratio", relation: "<=", value: 0.6 },
    },
    {
      id: "B13",
      work: "cold attempt, 1,000 files of 64 KiB, one changed: 20 times faster is 0.05",
      against: "the Python peer",
      unit: "ms",
      decimals: 0,
      bound: { figure: "ratio", relation: "<=", value: 0.05 },
    },
  ],
  async measure(around) {
    const { session, say } = around;
    await session.register("change");
    const work = await prepareTree(around, THOUSAND_FILES);
    const installed = await tryInstall(around);
    if (typeof installed === "string") {
      const note = `the Python peer cannot be installed here: ${installed}`;
      return { B10: { ours: [await idleMemory(around, work)], other: [], note }, B13: { ours: [], other: [], note } };
    }
    say(`perago ${installed.version} from PyPI is installed`);
    return { B10: await memory(around, work, installed), B13: await attempts(around, work, installed) };
  },
};

async function tryInstall({ session }: Surroundings): Promise<PythonPeer | string> {
  try {
    return await installPythonPeer(await session.folder("python"));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function memory(around: Surroundings, work: TreeWork, peer: PythonPeer): Promise<Samples> {
  return alternate(around.quick ? 1 : 5, {
    ours: () => idleMemory(around, work),
    async other() {
      const taskName = await registerPeerTask(around);
      const folder = await around.session.folder("peer");
      const worker = await peer.start({ folder, taskName, processCount: SLOTS });
      const bytes = await steadyMemory(worker.pid);
      around.say(`the peer: ${processTree(worker.pid).length} processes, ${Math.round(bytes / MIB)} MiB`);
      await worker.stop();
      return bytes / MIB;
    },
  });
}

/** A host with four slots that has run an attempt, as every host has soon. */
async function idleMemory(around: Surroundings, work: TreeWork): Promise<number> {
  const host = await warmHost(around, work, {}, ["-j", String(SLOTS)]);
  const bytes = await steadyMemory(host.pid);
  around.say(`ours: ${processTree(host.pid).length} processes, ${Math.round(bytes / MIB)} MiB`);
  await host.stop();
  return bytes / MIB;
}

async function steadyMemory(pid: number): Promise<number> {
  let count = 0;
  let sinceMs = performance.now();
  const steady = (): boolean => {
    const now = processTree(pid).length;
    if (now !== count) [count, sinceMs] = [now, performance.now()];
    return performance.now() - sinceMs > STEADY_MS;
  };
  await until("all processes have started", steady, { timeoutMs: STEADY_TIMEOUT_MS, everyMs: 200 });
  return proportionalBytes(pid);
}

async function attempts(around: Surroundings, work: TreeWork, peer: PythonPeer): Promise<Samples> {
  const { session, say } = around;
  const taskName = await registerPeerTask(around);
  const folder = await session.folder("peer");
  const worker = await peer.start({ folder, taskName, processCount: 1 });
  const peerAttempt = async (tree: Pick<TreeWork, "place" | "input">): Promise<number> => {
    const branch = `target-${randomBytes(4).toString("hex")}`;
    await tree.place.branchAt(tree.input, branch);
    const workspace = { repository: tree.place.repository, branch, refType: "commit", ref: tree.input };
    const params = { path: treePath(0), stamp: stamp() };
    return attemptMs(await completed(await startWorkflow(taskName, { workspace, params })));
  };
  await peerAttempt({ place: work.smallPlace, input: work.smallInput });
  try {
    return await alternate(around.quick ? 1 : 5, {
      async ours() {
        const host = await warmHost(around, work);
        const elapsedMs = await attemptOn(session, work.place, work.input);
        await untilSettled(host, work.place);
        await host.stop();
        return elapsedMs;
      },
      async other(run) {
        const elapsedMs = await peerAttempt(work);
        say(`the peer ${run}: ${elapsedMs} ms`);
        return elapsedMs;
      },
    });
  } finally {
    await worker.stop();
  }
}

async function registerPeerTask({ session }: Surroundings): Promise<string> {
  const taskName = `bench.python.${session.id}.${randomBytes(3).toString("hex")}`;
  await registerTaskDef({ name: taskName, responseTimeoutSeconds: 600 });
  await registerWorkflow(taskName, [{ task: taskName }]);
  return taskName;
}
