import type { History } from "../audit/history.ts";
import type { PlannedWorkflow } from "../plan/workload.ts";

/** How a run is bounded and made. */
export interface ChaosOptions {
  readonly seed: number;
  /** The workflows, one after the other. */
  readonly plan: Iterator<PlannedWorkflow, void>;
  /** No workflow is started after this many executions have begun, or after this many minutes. */
  readonly attempts: number;
  readonly minutes: number;
  readonly fence: History["fence"];
  readonly hosts: number;
  readonly slots: number;
  /** Workflows at a time. */
  readonly width: number;
  /** Undisturbed runs at the end (S13). */
  readonly quiet: number;
  readonly stackName: string;
  readonly breakage?: string;
  /** Whether the folder with logs and control folders stays. */
  readonly keepsLogs: boolean;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}
