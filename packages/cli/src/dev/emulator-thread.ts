import { parentPort, workerData } from "node:worker_threads";
import { startEmulator, type Emulator } from "@perago/emulator";
import type { EmulatorOrder, EmulatorWord } from "./emulator.ts";

// Entry of the thread of `perago dev`: SQLite is synchronous, and must not hold up the heartbeats of the host.
if (parentPort === null) throw new Error("this is the entry of a thread");
const port = parentPort;
const say = (word: EmulatorWord): void => port.postMessage(word, []);
const emulator = await begin(workerData);
port.once("message", () => {
  void emulator?.close().finally(() => port.close());
});

async function begin(order: EmulatorOrder): Promise<Emulator | undefined> {
  try {
    const started = await startEmulator({ ...order });
    const { url, accessKeyId, secretAccessKey } = started.lakefs;
    // Controls cannot cross the border of a thread.
    say({ type: "ready", lakefs: { url, accessKeyId, secretAccessKey }, conductor: { url: started.conductor.url } });
    return started;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    say({ type: "failed", code, message: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}
