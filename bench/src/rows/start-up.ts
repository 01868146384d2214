import { join } from "node:path";
import { spawnNode, spawnPerago } from "@perago/e2e/support/perago.ts";
import { realServers } from "@perago/e2e/support/settings.ts";
import { until } from "@perago/e2e/support/until.ts";
import type { Measurement, Surroundings } from "../measurement.ts";
import { startCountingProxy } from "../world/counting-proxy.ts";

const BARE = 'bare `node -e ""` in the same run';

/** B11: how long a person waits for `check`, and a task for a new host. */
export const startUp: Measurement = {
  rows: [
    {
      id: "B11",
      work: "perago check on one module",
      against: BARE,
      unit: "s",
      bound: { figure: "difference", relation: "<=", value: 0.35 },
    },
    {
      id: "B11/start",
      work: "perago start to its first poll",
      against: BARE,
      unit: "s",
      bound: { figure: "difference", relation: "<=", value: 0.8 },
    },
  ],
  async measure(around) {
    await around.session.register("change");
    const folder = await around.session.folder("start-up");
    const samples = { check: [] as number[], start: [] as number[], bare: [] as number[] };
    const runCount = around.quick ? 5 : 9;
    for (let run = -1; run < runCount; run += 1) {
      const bare = await nodeSeconds(["-e", ""], folder);
      const check = await checkSeconds(around, folder);
      const start = await firstPollSeconds(around);
      // The first round fills the compile caches and the disk's.
      if (run < 0) continue;
      samples.bare.push(bare);
      samples.check.push(check);
      samples.start.push(start);
    }
    return {
      B11: { ours: samples.check, other: samples.bare },
      "B11/start": { ours: samples.start, other: samples.bare },
    };
  },
};

async function nodeSeconds(args: readonly string[], folder: string): Promise<number> {
  const beginMs = performance.now();
  await spawnNode(args, { folder }).ended;
  return (performance.now() - beginMs) / 1000;
}

async function checkSeconds({ session }: Surroundings, folder: string): Promise<number> {
  const beginMs = performance.now();
  const running = spawnPerago(["check", ...session.modules("change")], { folder, env: { BENCH_RUN: session.id } });
  const { exitCode, stderr } = await running.ended;
  if (exitCode !== 0) throw new Error(`perago check ended with ${exitCode}: ${stderr}`);
  return (performance.now() - beginMs) / 1000;
}

async function firstPollSeconds({ session }: Surroundings): Promise<number> {
  const home = await session.folder("host");
  const proxy = await startCountingProxy(realServers().conductorUrl);
  try {
    const env = {
      BENCH_RUN: session.id,
      CONDUCTOR_SERVER_URL: proxy.url,
      PERAGO_WORKSPACE_ROOT: join(home, "workspaces"),
      PERAGO_LOG_ROOT: join(home, "logs"),
      PERAGO_CACHE_ROOT: join(home, "cache"),
    };
    const beginMs = performance.now();
    const running = spawnPerago(["start", ...session.modules("change")], { folder: home, env });
    const polled = await until("the host polls", () => proxy.requests.find(({ path }) => path.includes("/poll/")), {
      everyMs: 5,
    });
    running.child.kill("SIGTERM");
    await running.ended;
    return (polled.atMs - beginMs) / 1000;
  } finally {
    await proxy.close();
  }
}
