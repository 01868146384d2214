import { createConductorClient, noopLogger, TaskManager, type ConductorWorker } from "@io-orkes/conductor-javascript";
import { expect, onTestFinished, test, vi } from "vitest";
import { states, step } from "../contract/conductor/given.ts";
import { localConductor } from "./conductor-tools/local.ts";

const { emulator, given } = localConductor();

test("the JavaScript SDK's own TaskManager runs a workflow, with a retry in it", async () => {
  const type = await given().task({ retryCount: 2 });
  const id = await given().workflow(
    [
      step(type, "a", { inputParameters: { n: "${workflow.input.n}" } }),
      step(type, "b", { inputParameters: { n: "${a.output.n}" } }),
    ],
    { n: 1 },
  );
  let calls = 0;
  const worker: ConductorWorker = {
    taskDefName: type,
    pollInterval: 10,
    execute: async (task) => {
      calls += 1;
      if (calls === 1) throw new Error("the first one fails");
      return { status: "COMPLETED", outputData: { n: Number(task.inputData?.["n"]) + 1 } };
    },
  };
  // The SDK's own reading of the environment wins over what it is given.
  vi.stubEnv("CONDUCTOR_SERVER_URL", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const serverUrl = emulator().conductor.url.replace(/\/api$/, "");
  const client = await createConductorClient({ serverUrl, logger: noopLogger, refreshTokenInterval: 0 });
  const manager = new TaskManager(client, [worker], {
    logger: noopLogger,
    options: { concurrency: 1, pollInterval: 10 },
  });
  manager.startPolling();
  try {
    const workflow = await given().status(id, "COMPLETED");
    expect(states(workflow)).toEqual(["a FAILED", "a COMPLETED", "b COMPLETED"]);
    expect(workflow.at("output").raw).toEqual({ n: 3 });
  } finally {
    await manager.stopPolling();
  }
});
