import { describe } from "vitest";
import { conductorContract } from "../contract/conductor/index.ts";
import { startEmulator } from "../src/emulator.ts";

describe("the Conductor contract holds for the emulator", () => {
  conductorContract(async () => {
    const emulator = await startEmulator();
    return { url: emulator.conductor.url, close: () => emulator.close() };
  });
});
