import { Worker } from "node:worker_threads";
import { processEntry } from "./entry.ts";
import type { ChildCarrier } from "./executor-child.ts";
import type { Exit } from "./process-exit.ts";

const MIB = 1024 * 1024;

/** How an executor thread is started. */
export interface ThreadCarrierOptions {
  /** What user code sees as its environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Heap above which the thread is ended. */
  readonly maxHeapBytes: number;
}

/**
 * Starts an executor as a thread of this process (`PERAGO_EXECUTION_MODE=thread`). User code shares the host's process
 * and memory: a crash of native code is the host's crash, and a call that blocks in native code cannot be ended.
 */
export function startThread({ environment, maxHeapBytes }: ThreadCarrierOptions): ChildCarrier {
  const entry = processEntry("executor/thread");
  const thread = new Worker(entry.path, {
    execArgv: [...entry.nodeFlags],
    env: { ...environment },
    stdin: false,
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(maxHeapBytes / MIB) },
  });
  const ended = new Promise<Exit>((resolve) => {
    thread.once("exit", (exitCode) => resolve({ exitCode, signal: null }));
  });
  return {
    pid: undefined,
    stdout: thread.stdout,
    stderr: thread.stderr,
    listen({ onMessage, onFault, onExit }) {
      thread.on("message", onMessage);
      thread.on("messageerror", (error) => onFault(error.message));
      thread.on("error", (error) => onFault(faultOf(error)));
      thread.once("exit", onExit);
    },
    send(message) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      thread.postMessage(message);
    },
    kill: () => void thread.terminate(),
    ended,
  };
}

function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return "an uncaught value that is no error";
  const isOutOfMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return isOutOfMemory ? "JavaScript heap out of memory" : error.message;
}
