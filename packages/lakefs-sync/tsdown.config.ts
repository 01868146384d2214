import { library } from "../../tsdown.base.ts";

// Two entries: the library, and the thread that it starts by its file name (see sync-worker.ts). Declarations come from
// the sources alone: test helpers must not be able to break the build.
export default library([], {
  entry: { index: "src/index.ts", "sync-worker-thread": "src/transfer/worker.ts" },
  tsconfig: "tsconfig.build.json",
});
