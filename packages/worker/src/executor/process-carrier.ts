import { fork } from "node:child_process";
import type { Clock } from "../attempt/ports/clock.ts";
import { processEntry } from "./entry.ts";
import type { ChildCarrier } from "./executor-child.ts";
import { untilExit } from "./process-exit.ts";
import { killProcess } from "./processes.ts";

/** How an executor process is started. */
export interface ProcessCarrierOptions {
  readonly clock: Clock;
  /** The whole environment of the process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Further flags for Node. */
  readonly nodeFlags: readonly string[];
}

/** Forks an executor into a process group of its own. */
export function startProcess({ clock, environment, nodeFlags }: ProcessCarrierOptions): ChildCarrier {
  const entry = processEntry("executor/child");
  const child = fork(entry.path, [], {
    execArgv: [...entry.nodeFlags, ...nodeFlags],
    env: { ...environment },
    serialization: "advanced",
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  return {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    listen({ onMessage, onFault, onExit }) {
      child.on("message", onMessage);
      child.on("error", (error) => onFault(error.message));
      child.once("exit", onExit);
      if (child.pid === undefined) onExit();
    },
    send(message) {
      // A channel that closes meanwhile is the process's end.
      if (child.connected) child.send(message, () => {});
    },
    kill() {
      if (child.pid !== undefined) killProcess(-child.pid);
    },
    ended: untilExit(child, clock),
  };
}
