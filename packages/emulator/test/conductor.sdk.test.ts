import { createConductorClient, noopLogger, TaskManager, type ConductorWorker } from "@io-orkes/conductor-javascript";
import { expect, test } from "vitest";
import { states, step } from "../contract/conductor/given.ts";
import { localConductor } from "./conductor-tools/local.ts";

const { emulator, given } = localConductor();

// A task whose acknowledgement is lost comes again after 60 s, and the SDK sends a result again after 10, 20 and 30 s.
const PATIENCE_MS = 75_000;

test(
  "the JavaScript SDK's own TaskManager runs a workflow, with a retry in it",
  async () => {
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
    const serverUrl = emulator().conductor.url.replace(/\/api$/, "");
    const client = await createConductorClient({ serverUrl, logger: noopLogger, refreshTokenInterval: 0 });
    const manager = new TaskManager(client, [worker], {
      logger: noopLogger,
      options: { concurrency: 1, pollInterval: 10 },
    });
    manager.startPolling();
    try {
      const workflow = await given().status(id, "COMPLETED", PATIENCE_MS);
      expect(states(workflow)).toEqual(["a FAILED", "a COMPLETED", "b COMPLETED"]);
      expect(workflow.at("output").raw).toEqual({ n: 3 });
    } finally {
      await manager.stopPolling();
    }
  },
  PATIENCE_MS + 15_000,
);
