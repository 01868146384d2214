import { randomBytes } from "node:crypto";
import { alternate } from "../alternate.ts";
import type { Measurement } from "../measurement.ts";
import { openBareLakefs, type BareLakefs } from "../world/bare-http.ts";
import { untilSettled, type Place } from "../world/session.ts";
import { attemptOn, prepareTree, stamp } from "./attempt.ts";

/** B5: what the protocol costs, seen where there is next to no data. */
export const smallFile: Measurement = {
  rows: [
    {
      id: "B5",
      work: "attempt on one small file, poll to report",
      against: "the bare lakeFS requests that it cannot avoid: branch, put, commit, merge",
      unit: "ms",
      decimals: 0,
      bound: { figure: "ratio", relation: "<=", value: 2 },
    },
  ],
  async measure(around) {
    const { session } = around;
    await session.register("change");
    const { place, input } = await prepareTree(around, { fileCount: 1, sizeBytes: 100 });
    const host = await session.host({ modules: session.modules("change") });
    const bare = openBareLakefs();
    const ours = async (): Promise<number> => {
      const elapsedMs = await attemptOn(session, place, input);
      await untilSettled(host, place);
      return elapsedMs;
    };
    const other = () => bareRequestsMs(bare, place, input);
    for (const warmUp of [ours, other, ours, other]) await warmUp();
    const samples = await alternate(around.quick ? 7 : 15, { ours, other });
    bare.close();
    await host.stop();
    return { B5: samples };
  },
};

async function bareRequestsMs(bare: BareLakefs, { repository, branchAt }: Place, input: string): Promise<number> {
  const target = `target-${randomBytes(4).toString("hex")}`;
  const branch = `bare-${randomBytes(4).toString("hex")}`;
  await branchAt(input, target);
  const bytes = Buffer.from(stamp().padEnd(100));
  const base = `/repositories/${repository}`;
  const beginMs = performance.now();
  await bare.send("POST", `${base}/branches`, JSON.stringify({ name: branch, source: input, hidden: true }));
  await bare.send("POST", `${base}/branches/${branch}/objects?path=data%2F0000%2Ffile-00.bin`, bytes);
  await bare.send("POST", `${base}/branches/${branch}/commits`, JSON.stringify({ message: "bare" }));
  const merge = JSON.stringify({ message: "bare", squash_merge: true });
  await bare.send("POST", `${base}/refs/${branch}/merge/${target}`, merge);
  const elapsedMs = performance.now() - beginMs;
  await bare.send("DELETE", `${base}/branches/${branch}`);
  return elapsedMs;
}
