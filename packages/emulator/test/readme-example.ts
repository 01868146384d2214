import { startEmulator } from "../src/index.ts";

const emulator = await startEmulator();
// The next merge is done, but its answer gets lost.
emulator.faults.add({ kind: "drop-answer", server: "lakefs", method: "POST", path: /\/merge\// });
// A day passes on both servers.
emulator.clock.advance(24 * 60 * 60 * 1000);
console.log(emulator.lakefs.url, emulator.conductor.url);
await emulator.close();
