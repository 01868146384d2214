import { library } from "../../tsdown.base.ts";

// Two entries: the library, and the program that bin/emulator.mjs starts.
export default library([], { entry: { index: "src/index.ts", main: "src/main.ts" } });
