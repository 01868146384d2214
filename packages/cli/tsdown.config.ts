import { library } from "../../tsdown.base.ts";

// Two entries: the command, and the thread that `perago dev` starts by its file name (see dev/emulator.ts).
export default library([], {
  entry: { main: "src/main.ts", "emulator-thread": "src/dev/emulator-thread.ts" },
  dts: false,
});
