import { expect, test } from "vitest";
import { untilTask, type EngineTask } from "../support/conductor.ts";
import { createControl } from "../support/control.ts";
import { startHost, type Host } from "../support/host.ts";
import { createRepository, lakefsConnection } from "../support/lakefs-repository.ts";
import { confirmsSince, expectNothingLeft, failureCode, outputRef } from "../support/outcome.ts";
import { startProxy } from "../support/proxy.ts";
import { createTestRun } from "../support/test-run.ts";
import { until } from "../support/until.ts";

const RACERS = 24;
const RACE_TIMEOUT_MS = 100_000;
const timeoutMs = 300_000;

const run = await createTestRun(["racer"]);
const repository = await createRepository("race");
const first = await repository.commitTree({ "work/a.txt": "a" });

interface Race {
  readonly host: Host;
  readonly branch: string;
  readonly input: string;
  readonly ended: readonly EngineTask[];
}

/**
 * Runs 24 whole executions of 24 logical tasks, each from the same head. Their merges wait before lakeFS until the last
 * one is on its way, and are then let go together.
 */
async function race(branch: string): Promise<Race> {
  const lakefs = await startProxy(lakefsConnection().endpoint);
  const host = await startHost(run, { lakefsUrl: lakefs.url, args: ["-j", String(RACERS)] });
  const input = await repository.head(branch);
  const isMerge = ({ method, path }: { method: string; path: string }): boolean =>
    method === "POST" && path.endsWith(`/merge/${branch}`);
  const go = Promise.withResolvers<void>();
  lakefs.meddle((request) => (isMerge(request) ? { kind: "delay_request", until: go.promise } : undefined));
  const racing = Array.from({ length: RACERS }, async (_, at) => {
    const control = await createControl(run);
    const params = control.params([{ do: "write", path: `racer-${at}.txt`, content: String(at) }]);
    return run.startTask("racer", { repository, ref: input, branch, params });
  });
  const workflowIds = await Promise.all(racing);
  const allSent = (): boolean => lakefs.requests.filter(isMerge).length >= RACERS;
  await until("all merges are on their way", allSent, { timeoutMs: RACE_TIMEOUT_MS });
  go.resolve();
  const ended: EngineTask[] = [];
  for (const id of workflowIds) ended.push(await untilTask(id, ["FAILED", "COMPLETED", "FAILED_WITH_TERMINAL_ERROR"]));
  expect(lakefs.requests.filter(isMerge)).toHaveLength(RACERS);
  return { host, branch, input, ended };
}

test(
  "rule H1, rule H4: of 24 executions raced from one head the hard fence lets one publish, 23 are FAILED publish_fence",
  async () => {
    const branch = await repository.newBranch("hard", first);
    const target = `lakefs://${repository.name}/${branch}`;
    const installed = await run.perago(["fence", "install", target]);
    expect(installed.stdout, installed.stderr).toContain("the hard fence is in force");
    const { host, input, ended } = await race(branch);

    const completed = ended.filter(({ status }) => status === "COMPLETED");
    expect(completed, ended.map(({ reasonForIncompletion }) => reasonForIncompletion).join("\n")).toHaveLength(1);
    const failed = ended.filter(({ status }) => status !== "COMPLETED");
    expect(failed.map(failureCode)).toEqual(Array.from({ length: RACERS - 1 }, () => "publish_fence"));

    const [winner, ...others] = await confirmsSince(repository, input, branch);
    expect(others).toEqual([]);
    expect(winner).toMatchObject({ id: await repository.head(branch), parents: [input] });
    expect(completed.map(outputRef)).toEqual([winner?.id]);
    expect(Object.keys(await repository.tree(branch, "work/"))).toHaveLength(2);
    for (const { reasonForIncompletion } of failed) {
      expect(reasonForIncompletion).toContain(`moved from ${input} to ${winner?.id}`);
      expect(reasonForIncompletion).toContain("start a new workflow whose input ref is the protected head");
    }
    const log = await host.logText();
    expect(log).toContain('"fence":"hard"');
    expect(log).not.toContain('"fence":"soft"');
    await expectNothingLeft(repository, host);
  },
  timeoutMs,
);

test(
  "rule H2, rule C6: without it all 24 land; each extra one is told as publish_race, none of those COMPLETED",
  async () => {
    const branch = await repository.newBranch("soft", first);
    const { host, input, ended } = await race(branch);

    const landed = await confirmsSince(repository, input, branch);
    const raced = landed.filter(({ metadata, parents }) => metadata["perago.expected_head"] !== parents[0]);
    expect(landed).toHaveLength(RACERS);
    expect(raced).toHaveLength(RACERS - 1);
    const completed = ended.filter(({ status }) => status === "COMPLETED");
    expect(completed.map(outputRef)).toEqual(landed.filter((commit) => !raced.includes(commit)).map(({ id }) => id));
    const failed = ended.filter(({ status }) => status !== "COMPLETED");
    expect(failed.map(failureCode)).toEqual(raced.map(() => "publish_race"));
    const reasons = failed.map(({ reasonForIncompletion }) => reasonForIncompletion ?? "");
    for (const { id } of raced)
      expect(reasons.filter((reason) => reason.includes(`commit ${id} landed`))).toHaveLength(1);

    const log = await host.logText();
    expect(log).toContain('"fence":"soft"');
    expect(log.match(/"event":"soft_fence"/g)?.length).toBeGreaterThan(0);
    expect(log).toContain(`perago fence install lakefs://${repository.name}/${branch}`);
    await expectNothingLeft(repository, host);
  },
  timeoutMs,
);
