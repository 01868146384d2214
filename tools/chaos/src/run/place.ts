import type { GateMessage } from "../host/messages.ts";
import type { HostProcess } from "./host-process.ts";
import type { ChaosHost } from "./host.ts";
import type { LiveWorkflow, Scene } from "./scene.ts";

/** Where something strikes: an execution that waits at a step. */
export interface Place {
  readonly scene: Scene;
  readonly host: ChaosHost;
  readonly process: HostProcess;
  readonly workflow: LiveWorkflow;
  readonly stop: GateMessage;
}
