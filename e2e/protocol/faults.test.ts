import { expect, test } from "vitest";
import { publishAsAnother } from "../bad-input/forge.ts";
import { createBench } from "../support/bench.ts";
import { untilEnded, untilTask } from "../support/conductor.ts";
import { createControl } from "../support/control.ts";
import { confirmsSince, expectNothingLeft, failureCode, outputRef } from "../support/outcome.ts";

/** `responseSeconds` of the tasks. */
const LEASE_MS = 3000;

const bench = await createBench({ tasks: ["once", "limited"], label: "faults", tree: { "work/a.txt": "a" } });
const { run, repository, input, lakefs } = bench;

test("fault D3: of two steps that run side by side on one target one completes, and the other names what came first", async () => {
  const branch = await repository.newBranch("forked", input);
  const host = await bench.host();
  const [one, other] = [await createControl(run), await createControl(run)];
  const begin = async (task: string, control: typeof one): Promise<string> => {
    const script = [
      { do: "write", path: `${task}.txt`, content: task },
      { do: "tell", name: "ready" },
      { do: "hold", name: "go on" },
    ] as const;
    return run.startTask(task, { repository, ref: input, branch, params: control.params(script) });
  };
  const workflows = [await begin("once", one), await begin("limited", other)];
  for (const { heard } of [one, other]) await heard("ready");
  for (const { tell } of [one, other]) await tell("go on");
  const ended = await Promise.all(workflows.map((id) => untilEnded(id)));
  const tasks = ended.map(({ tasks: [task] }) => task);
  const winner = tasks.find((task) => task?.status === "COMPLETED");
  const loser = tasks.find((task) => task?.status === "FAILED");
  if (winner === undefined || loser === undefined) throw new Error(tasks.map((task) => task?.status).join(", "));
  // The soft fence may lose the race; it is then told, and the winner's commit stays below (rule C6).
  const code = failureCode(loser);
  expect(code).toMatch(/^publish_(?:fence|race)$/);
  const refs = (await confirmsSince(repository, input, branch)).map(({ id }) => id);
  expect(refs).toHaveLength(code === "publish_race" ? 2 : 1);
  expect(refs.at(-1)).toBe(outputRef(winner));
  expect(loser.reasonForIncompletion).toContain(outputRef(winner));
  await expectNothingLeft(repository, host);
});

test("fault D5: an own confirm commit that somebody cherry-picks is foreign, whatever its metadata says", async () => {
  const branch = await repository.newBranch("picked", input);
  const side = await repository.newBranch("side", input);
  const host = await bench.host();
  const control = await createControl(run);
  const script = [
    { do: "write", path: "ours.txt", content: "ours" },
    { do: "tell", name: "working" },
    { do: "hold", name: "go on" },
  ] as const;
  const workflowId = await run.startTask("once", { repository, ref: input, branch, params: control.params(script) });
  await control.heard("working");
  const task = await untilTask(workflowId, ["IN_PROGRESS"]);
  const earlier = { laterMs: -5000, taskId: "earlier" };
  const own = await publishAsAnother({ repository, branch: side, input }, task, earlier, { "work/a.txt": "earlier" });
  const picked = await repository.cherryPick(own, branch);
  await control.tell("go on");
  const refused = await untilTask(workflowId, ["FAILED", "COMPLETED"]);
  expect(failureCode(refused)).toBe("publish_fence");
  expect(refused.reasonForIncompletion).toContain(picked);
  expect(await repository.head(branch)).toBe(picked);
  await expectNothingLeft(repository, host);
});

test("fault F1: an upload that takes longer than the response time-out keeps its lease, and is published once", async () => {
  const branch = await repository.newBranch("slow", input);
  const host = await bench.host();
  lakefs.meddle(({ method, path }) =>
    method === "POST" && path.endsWith("/objects") ? { kind: "delay_request", until: LEASE_MS * 1.5 } : undefined,
  );
  const control = await createControl(run);
  const params = control.params([{ do: "write", path: "big.bin", content: "slow" }]);
  const ended = await untilEnded(await run.startTask("once", { repository, ref: input, branch, params }), {
    decide: true,
  });
  expect(ended.tasks.map(({ status, pollCount }) => [status, pollCount])).toEqual([["COMPLETED", 1]]);
  expect(await confirmsSince(repository, input, branch)).toHaveLength(1);
  await expectNothingLeft(repository, host);
});
