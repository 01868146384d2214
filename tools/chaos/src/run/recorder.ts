import type { Execution, ReportedResult } from "../audit/history.ts";
import type { ExecutionName, Fact, FromHost, GateMessage } from "../host/messages.ts";

/** An execution as it is known by now. */
export interface Recorded {
  readonly name: ExecutionName;
  stagingBranch?: string;
  stagingCommit?: string;
  readonly checks: { readonly current: boolean; readonly mergesBefore: number }[];
  mergeCount: number;
  readonly merged: string[];
  mergeOnItsWay: boolean;
  readonly reports: ReportedResult[];
  readonly notes: { readonly name: string; readonly message: string }[];
  end: Execution["end"];
}

/** Keeps what the hosts tell, by execution. */
export class Recorder {
  readonly #byId = new Map<string, Recorded>();
  readonly #whenEnded = new Map<string, (() => void)[]>();

  /** All executions, in the order in which they began. */
  all(): readonly Recorded[] {
    return [...this.#byId.values()];
  }

  count(): number {
    return this.#byId.size;
  }

  get(executionId: string): Recorded | undefined {
    return this.#byId.get(executionId);
  }

  /** The executions of one step, in the order in which they began. */
  ofStep(workflowId: string, referenceTaskName: string): readonly Recorded[] {
    return this.all().filter(
      ({ name }) => name.workflowId === workflowId && name.referenceTaskName === referenceTaskName,
    );
  }

  /** Takes one message in. */
  record(message: FromHost): void {
    if (message.type === "ready") return;
    const recorded = this.#of(message.execution);
    if (message.type === "note") return void recorded.notes.push({ name: message.name, message: message.message });
    if (message.fact !== undefined) take(recorded, message.fact);
    if (isLast(message)) this.#end(recorded, "ended");
  }

  /** The process of these executions is gone: what had not ended has died. */
  died(workerIdPrefix: string): void {
    for (const recorded of this.all())
      if (recorded.end === "open" && recorded.name.workerId.startsWith(workerIdPrefix)) this.#end(recorded, "died");
  }

  /** Runs when the execution has ended or died. */
  onEnd(executionId: string, then: () => void): void {
    const recorded = this.#byId.get(executionId);
    if (recorded === undefined || recorded.end !== "open") return then();
    this.#whenEnded.set(executionId, [...(this.#whenEnded.get(executionId) ?? []), then]);
  }

  #of(name: ExecutionName): Recorded {
    const known = this.#byId.get(name.executionId);
    if (known !== undefined) return known;
    const counted = { checks: [], mergeCount: 0, merged: [], mergeOnItsWay: false, reports: [], notes: [] };
    const made: Recorded = { name, ...counted, end: "open" };
    this.#byId.set(name.executionId, made);
    return made;
  }

  #end(recorded: Recorded, how: "ended" | "died"): void {
    recorded.end = how;
    const { executionId } = recorded.name;
    for (const then of this.#whenEnded.get(executionId) ?? []) then();
    this.#whenEnded.delete(executionId);
  }
}

function isLast({ phase, side }: GateMessage): boolean {
  return phase === "releaseExecutor" && side === "after";
}

function take(recorded: Recorded, fact: Fact): void {
  switch (fact.kind) {
    case "staging":
      recorded.stagingBranch = fact.branch;
      return;
    case "staged":
      recorded.stagingCommit = fact.commit;
      return;
    case "checked":
      recorded.checks.push({ current: fact.current, mergesBefore: recorded.mergeCount });
      return;
    case "merging":
      recorded.mergeCount += 1;
      return;
    case "merged":
      if (fact.commit !== undefined) recorded.merged.push(fact.commit);
      return;
    case "reporting": {
      const { kind: _, ...report } = fact;
      recorded.reports.push(report);
    }
  }
}
