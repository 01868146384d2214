import { enableCompileCache } from "node:module";

// Before anything else is loaded: it halves the start-up.
enableCompileCache();
const { startChild } = await import("./child-main.ts");
const { processSurroundings } = await import("./child-channel.ts");
startChild(processSurroundings());
