export type { AttemptOptions, AttemptRun, StartedAttempt } from "./attempt.ts";
export { createTestBench, runAttempt } from "./bench.ts";
export type { HostLogLine, TestBench, TestBenchOptions } from "./bench.ts";
export type { EngineTask } from "./engine.ts";
export { TestingError } from "./errors.ts";
export type { FileBytes, Files } from "./files.ts";
export type { TaskModule } from "./modules.ts";
export { runTask } from "./run-task.ts";
export type { RunTaskOptions, TaskRun } from "./run-task.ts";
