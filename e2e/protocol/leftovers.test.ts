import { expect, test } from "vitest";
import { createBench } from "../support/bench.ts";
import { untilEnded } from "../support/conductor.ts";
import { createControl } from "../support/control.ts";
import { actionFile } from "../support/hooks.ts";
import { confirmsSince, stagingBranches } from "../support/outcome.ts";
import { until } from "../support/until.ts";

const staying = actionFile({
  event: "pre-delete-branch",
  branches: "perago-stg-*",
  hook: { lua: `error("branches stay")` },
});
const bench = await createBench({ tasks: ["files"], label: "leftovers", tree: { "work/a.txt": "a", ...staying } });
const { run, repository, input } = bench;

test("case G06, rule X1: a hook that lets no branch go changes no result, is told once, and leaves the branch to the sweeps", async () => {
  const host = await bench.host();
  const branch = await repository.newBranch("target", input);
  const control = await createControl(run);
  const params = control.params([{ do: "write", path: "a.txt", content: "published" }]);
  const ended = await untilEnded(await run.startTask("files", { repository, ref: input, branch, params }));
  expect(ended.status).toBe("COMPLETED");
  expect(await confirmsSince(repository, input, branch)).toHaveLength(1);
  const told = async (): Promise<readonly string[]> => {
    const lines = (await host.logText()).split("\n").filter((line) => line.includes("cleanup_failed"));
    for (const line of lines) expect(line).toContain("branches stay");
    // The log file and stderr have the same line.
    return [...new Set(lines.map((line) => /branch (perago-stg-[-\w]+) could not/.exec(line)?.[1] ?? line))];
  };
  await until("the cleanup has been told of", async () => (await told()).length > 0, { timeoutMs: 10_000 });
  const left = await stagingBranches(repository);
  expect(left).toHaveLength(1);
  expect(await told()).toEqual(left);
});
