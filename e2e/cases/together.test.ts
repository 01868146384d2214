import { expect, test } from "vitest";
import { startWorkflow, untilEnded, type EngineTask } from "../support/conductor.ts";
import { createControl } from "../support/control.ts";
import { startHost } from "../support/host.ts";
import { createRepository } from "../support/lakefs-repository.ts";
import { confirmsSince, expectNothingLeft, failureCode, outputRef } from "../support/outcome.ts";
import { startProxy } from "../support/proxy.ts";
import { isMerge } from "../support/requests.ts";
import { realServers } from "../support/settings.ts";
import { createTestRun, registerTasks, writeModule } from "../support/test-run.ts";
import { until } from "../support/until.ts";

const WORKERS = 20;
const names = Array.from({ length: WORKERS }, (_, index) => `worker-${String(index).padStart(2, "0")}`);

/** A module of twenty tasks, each on a prefix of its own, without a retry. */
function moduleText(): string {
  const tasks = names.map(
    (name, index) => `export const task${index} = defineTask({
  name: named("${name}"), ownerEmail, workspace: { prefix: "${name}" }, params, output,
  controls: { retry: { count: 0 }, timeout: { policy: "RETRY", responseSeconds: 60 } }, run: runScript,
});`,
  );
  return `import { defineTask } from "@perago/taskdef";
import { ownerEmail } from "../../tasks/controls.ts";
import { named } from "../../tasks/named.ts";
import { output, params, runScript } from "../../tasks/script.ts";
${tasks.join("\n")}
`;
}

test("case L06, rule C6, rule C8: twenty workers that publish twenty prefixes to one target at the same moment end as defined, none twice", async () => {
  const run = await createTestRun([]);
  const modules = [await writeModule(moduleText())];
  await registerTasks(run, modules);
  const repository = await createRepository("together");
  const input = await repository.commitTree(Object.fromEntries(names.map((name) => [`${name}/a`, "before"])));
  const proxy = await startProxy(realServers().lakefsUrl);
  // All merges wait for the last one: all have pinned the same head.
  const allThere = Promise.withResolvers<void>();
  proxy.meddle((request) => {
    if (!isMerge(request)) return undefined;
    if (proxy.requests.filter(isMerge).length >= WORKERS) allThere.resolve();
    return { kind: "delay_request", until: allThere.promise };
  });
  const host = await startHost(run, { modules, lakefsUrl: proxy.url });
  const workspace = { repository: repository.name, branch: "main", refType: "commit", ref: input };
  const started = names.map(async (name) => {
    const control = await createControl(run);
    await run.workflow(name, [{ task: name }]);
    const params = control.params([{ do: "write", path: "a", content: `by ${name}` }]);
    return startWorkflow(run.name(name), { workspace, params });
  });
  const workflowIds = await Promise.all(started);
  await until("all have ended", async () => {
    const ended = await Promise.all(workflowIds.map((id) => untilEnded(id, { timeoutMs: 60_000 })));
    return ended.length === WORKERS;
  });
  const tasks: EngineTask[] = [];
  for (const id of workflowIds) tasks.push(...(await untilEnded(id)).tasks);
  expect(tasks).toHaveLength(WORKERS);

  const confirms = await confirmsSince(repository, input);
  for (const task of tasks) {
    const own = confirms.filter(({ metadata }) => metadata["perago.task_id"] === task.taskId);
    expect(own.length, task.taskDefName).toBeLessThanOrEqual(1);
    const [commit] = own;
    const isOnPinnedHead = commit?.parents[0] === commit?.metadata["perago.expected_head"];
    if (commit !== undefined && isOnPinnedHead) expect(outputRef(task)).toBe(commit.id);
    else if (commit !== undefined) expect(failureCode(task)).toBe("publish_race");
    // Busy (429), and then the head had moved; or lakeFS itself lost count of its tries.
    else expect(["publish_fence", "publish_unknown", "server_unavailable"]).toContain(failureCode(task));
  }
  // One was the first.
  expect(tasks.filter(({ status }) => status === "COMPLETED")).toHaveLength(1);
  // Nothing of anybody's is lost: each commit adds its own prefix to what was there.
  const landed = confirms.map(({ metadata }) => metadata["perago.prefix"]?.replaceAll("/", "") ?? "");
  const shown = await repository.tree("main");
  for (const name of names) expect(shown[`${name}/a`]).toBe(landed.includes(name) ? `by ${name}` : "before");
  const unknown = tasks.filter(({ reasonForIncompletion: why }) => why?.startsWith("publish_unknown") === true);
  const kept = (await repository.branches()).filter((name) => unknown.some(({ taskId }) => name.includes(taskId)));
  await expectNothingLeft(repository, host, kept);
});
