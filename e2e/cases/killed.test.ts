import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startWorkflow, untilEnded, untilTask } from "../support/conductor.ts";
import { startHost } from "../support/host.ts";
import { createRepository } from "../support/lakefs-repository.ts";
import { confirmsSince, outputRef } from "../support/outcome.ts";
import { startProxy } from "../support/proxy.ts";
import { isDownload } from "../support/requests.ts";
import { realServers } from "../support/settings.ts";
import { createTestRun, registerTasks } from "../support/test-run.ts";
import { until } from "../support/until.ts";

const MODULES = [join(import.meta.dirname, "tasks/tree.ts")];
const TREE = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`data/${index}`, `content ${index}`]));

test("case T06, rule T2: a host killed in the middle of sync-in leaves no folder that looks complete, and the retry builds on none", async () => {
  const run = await createTestRun([]);
  await registerTasks(run, MODULES);
  await run.workflow("tree", [{ task: "tree" }]);
  const repository = await createRepository("killed");
  const input = await repository.commitTree(TREE);
  const proxy = await startProxy(realServers().lakefsUrl);
  const doomed = await startHost(run, { modules: MODULES, lakefsUrl: proxy.url });
  // Half of the files arrive, the others never do.
  let count = 0;
  const never = new Promise<void>(() => {});
  proxy.meddle((request) => {
    if (!isDownload(request)) return undefined;
    count += 1;
    return count > Object.keys(TREE).length / 2 ? { kind: "delay_request", until: never } : undefined;
  });
  const workspace = { repository: repository.name, branch: "main", refType: "commit", ref: input };
  const params = { deeds: [{ do: "write", path: "0", content: "changed" }] };
  const workflowId = await startWorkflow(run.name("tree"), { workspace, params });
  const patience = { everyMs: 20 };
  await until("half of the files have come", () => count > Object.keys(TREE).length / 2, patience);
  await doomed.kill();
  const [left] = await doomed.folders();
  expect(left).toBeDefined();
  const inside = await readdir(join(doomed.workspaceRoot, left ?? ""));
  expect(inside.toSorted()).toEqual([".perago-attempt.json", "workspace.part"]);

  const heir = await startHost(run, { modules: MODULES, home: doomed.home });
  const ended = await untilEnded(workflowId, { decide: true });
  expect(ended.status).toBe("COMPLETED");
  const task = await untilTask(workflowId, ["COMPLETED"]);
  expect(task.retryCount).toBe(1);
  expect(await repository.tree(outputRef(task))).toEqual({ ...TREE, "data/0": "changed" });
  expect(await confirmsSince(repository, input)).toHaveLength(1);
  // The heir has made and removed a folder of its own; the abandoned one waits for its time (rule X3).
  expect(await heir.folders()).toEqual([left]);
  expect((await heir.stop()).exitCode).toBe(0);
});
