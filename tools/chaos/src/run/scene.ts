import type { SeenCommit, LeftOver, Asked, Completion, History } from "../audit/history.ts";
import type { PlannedFault, PlannedWorkflow } from "../plan/workload.ts";
import type { Tally } from "../report/tally.ts";
import type { Engine } from "./engine.ts";
import type { ChaosHost } from "./host.ts";
import type { Lake } from "./lake.ts";
import type { Recorder } from "./recorder.ts";
import type { Servers } from "./servers.ts";

/** A workflow that has been started. */
export interface LiveWorkflow {
  readonly plan: PlannedWorkflow;
  readonly workflowId: string;
  readonly repository: string;
  readonly branch: string;
  /** The commit that its target starts from, and its first step too. */
  readonly start: string;
  /** One folder a step, in which its bodies are counted. */
  readonly controls: readonly string[];
  /** Faults that have not struck yet. */
  readonly pending: Set<PlannedFault>;
}

/** Everything that the parts of a run share. */
export interface Scene {
  readonly fence: History["fence"];
  readonly engine: Engine;
  readonly lake: Lake;
  readonly servers: Servers;
  readonly hosts: readonly ChaosHost[];
  readonly recorder: Recorder;
  readonly tally: Tally;
  readonly workflows: Map<string, LiveWorkflow>;
  /** Collected for the audit on the way. */
  readonly seen: {
    readonly commits: SeenCommit[];
    readonly completions: Map<string, Completion>;
    readonly asked: Asked[];
    readonly foreignBranches: LeftOver["foreignBranches"][number][];
    readonly unended: string[];
  };
  /** Fires when somebody wants the run to end. */
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Hosts that end are started again. */
  keepsUp: boolean;
}
