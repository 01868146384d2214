import { afterAll, beforeAll } from "vitest";
import { Api } from "../../contract/conductor/api.ts";
import { Given } from "../../contract/conductor/given.ts";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../src/emulator.ts";

/** An emulator for the tests of one file, and the short ways to talk to its Conductor part. */
export function localConductor(options: EmulatorOptions = {}): {
  readonly emulator: () => Emulator;
  readonly given: () => Given;
} {
  let running: Emulator | undefined;
  beforeAll(async () => void (running = await startEmulator(options)));
  afterAll(async () => await running?.close());
  const emulator = (): Emulator => {
    if (running === undefined) throw new Error("the emulator is not started");
    return running;
  };
  return { emulator, given: () => new Given(new Api(emulator().conductor.url)) };
}
