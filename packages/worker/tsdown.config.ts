import { library } from "../../tsdown.base.ts";

export default library([
  "src/index.ts",
  "src/executor/child.ts",
  "src/executor/thread.ts",
  "src/tasks/describe-child.ts",
]);
