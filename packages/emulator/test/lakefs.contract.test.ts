import { lakefsContract } from "../contract/lakefs/index.ts";
import { startEmulator } from "../src/emulator.ts";

await lakefsContract(async () => {
  const emulator = await startEmulator();
  return { ...emulator.lakefs, close: () => emulator.close() };
});
