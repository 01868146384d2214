import { createConductorClient, TaskManager } from "@io-orkes/conductor-javascript";

// The peer of bench B6: the engine's own SDK doing nothing, as its documents show it. Ends at SIGTERM.
const [, , taskName = "", concurrency = "1"] = process.argv;
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const client = await createConductorClient({ serverUrl: process.env["CONDUCTOR_SERVER_URL"] ?? "" });
const worker = {
  taskDefName: taskName,
  execute: () => Promise.resolve({ status: "COMPLETED" as const, outputData: {} }),
};
const options = { workerID: `sdk-${process.pid}`, concurrency: Number(concurrency), pollInterval: 10 };
const manager = new TaskManager(client, [worker], { logger: silent, options });
process.on("SIGTERM", () => {
  void manager.stopPolling().then(() => process.exit(0));
});
manager.startPolling();
process.stdout.write("ready\n");
