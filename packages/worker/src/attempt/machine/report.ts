import { classifyReadBack, mayReport, type ReportOutcome } from "@perago/fence";
import type { Report, ReportStatus, TaskRead } from "../ports/attempt-source.ts";
import { close } from "./ending.ts";
import { BOUNDS } from "./facts.ts";
import { failureReason } from "./reason.ts";
import { STATUS_OF_CODE } from "./result-table.ts";
import type { ClockReading, Closing, Decision, Ending, Note, Phase, Reporting } from "./state.ts";

/** Rule R4: the last heartbeat has ended before anything is reported. */
export const stopLease: Phase<"stopLease"> = {
  ask: () => ({}),
  answered(state, { unanswered }) {
    if (state.outcome.kind === "silent") {
      return closing(state, "not_sent", { name: "result_not_ours", message: state.outcome.reason });
    }
    // Rule R8 may be skipped where no workspace is: nothing was published that a wrong report could claim.
    const phase = state.facts.workspace === undefined ? "report" : "readForReport";
    return { next: { ...state, phase, unanswered, lateReadBacks: 0 } };
  },
};

/** Rule R8: the engine checks neither who reports nor for which delivery. */
export const readForReport: Phase<"readForReport"> = {
  ask: readTask,
  answered(state, read) {
    const decision = mayReport({ held: state.facts.polled, read, outcome: reportOutcome(state) });
    if (decision.send) return { next: { ...state, phase: "report" } };
    const message = `${resultText(state)} of task ${state.facts.polled.taskId} was not sent: ${decision.reason}`;
    return closing(state, "not_sent", { name: "result_not_ours", message });
  },
  refused: (state, _why, clock) => againOrGiveUp(state, clock),
};

/** Rule R4: one request, bounded. */
export const report: Phase<"report"> = {
  ask: (state) => ({ ...buildReport(state), timeoutMs: state.facts.reportTimeoutMs }),
  answered: (state) => ({ next: { ...state, phase: "readBack" } }),
  refused: (state, _why, clock) => againOrGiveUp(state, clock),
};

/** The wait before a result is sent again (rule R4). */
export const pauseReport: Phase<"pauseReport"> = {
  ask: () => ({ delayMs: BOUNDS.reportPauseMs }),
  answered: (state) => ({ next: { ...state, phase: "readForReport" } }),
};

/** Rule R6: the engine answers 200 also when it drops a result. */
export const readBack: Phase<"readBack"> = {
  ask: readTask,
  answered(state, read) {
    const { polled } = state.facts;
    const taken = classifyReadBack({
      held: polled,
      read,
      reported: reportStatus(state),
      sameOutput: sameOutput(state, read),
    });
    const late = state.unanswered && lateDelayMs(state) !== undefined;
    if (taken.result === "accepted")
      return late ? { next: { ...state, phase: "pauseReadBack" } } : closing(state, "accepted");
    if (taken.result === "send_again" && lateDelayMs(state) !== undefined) {
      return { next: { ...state, phase: "readForReport", lateReadBacks: state.lateReadBacks + 1 } };
    }
    const reason = taken.result === "dropped" ? taken.reason : "still in progress";
    const message = `the engine dropped ${resultText(state)} of task ${polled.taskId}: ${reason}`;
    return closing(state, "dropped", { name: "result_dropped", message });
  },
  refused(state) {
    if (lateDelayMs(state) !== undefined) return { next: { ...state, phase: "pauseReadBack" } };
    const message = `${resultText(state)} of task ${state.facts.polled.taskId} was sent, but could not be read back`;
    return closing(state, "undelivered", { name: "result_undelivered", message });
  },
};

/** Rule R4: a heartbeat that got no answer may still write the task back. */
export const pauseReadBack: Phase<"pauseReadBack"> = {
  ask: (state) => ({ delayMs: lateDelayMs(state) ?? 0 }),
  answered: (state) => ({ next: { ...state, phase: "readBack", lateReadBacks: state.lateReadBacks + 1 } }),
};

/** The status that a finished attempt reports (protocol, "Results"). */
export function reportStatus({ outcome }: Ending): ReportStatus {
  return outcome.kind === "failed" ? STATUS_OF_CODE[outcome.failure.code] : "COMPLETED";
}

function buildReport(state: Reporting): Report {
  const { polled, reasonMaxLength } = state.facts;
  const { workflowInstanceId, taskId, workerId } = polled;
  const base = { workflowInstanceId, taskId, workerId, status: reportStatus(state) };
  const { outcome } = state;
  if (outcome.kind === "completed") return { ...base, outputJson: outcome.outputJson };
  if (outcome.kind === "silent") return base;
  return { ...base, reasonForIncompletion: failureReason(outcome.failure, reasonMaxLength) };
}

function reportOutcome(state: Reporting): ReportOutcome {
  const status = reportStatus(state);
  if (status === "FAILED") return "failed";
  if (status === "FAILED_WITH_TERMINAL_ERROR") return "terminal";
  const own = state.outcome.kind === "completed" && state.outcome.by === "commit";
  return own ? "completed_with_commit" : "completed_without_commit";
}

function sameOutput({ outcome }: Reporting, read: TaskRead | null): boolean {
  if (read === null || outcome.kind !== "completed") return false;
  return read.hasResult && read.outputRef === outcome.ref;
}

/** Rule R4: repeated until the lease ends. The next attempt finds what was published (rule P2). */
function againOrGiveUp(state: Reporting, clock: ClockReading): Decision {
  if (clock.nowMs + BOUNDS.reportPauseMs < clock.leaseDeadlineMs) return { next: { ...state, phase: "pauseReport" } };
  const message = `${resultText(state)} of task ${state.facts.polled.taskId} could not be delivered within the lease`;
  return closing(state, "undelivered", { name: "result_undelivered", message });
}

function closing(state: Ending, reported: Closing["reported"], note?: Note): Decision {
  const { facts, owned, signal, outcome } = state;
  const next = close({ facts, owned, ...(signal ? { signal } : {}), outcome, reported });
  return { next, ...(note ? { notes: [note] } : {}) };
}

function resultText(state: Ending): string {
  return state.outcome.kind === "failed"
    ? `${reportStatus(state)} (${state.outcome.failure.code})`
    : reportStatus(state);
}

function lateDelayMs({ lateReadBacks }: Reporting): number | undefined {
  return BOUNDS.lateReadBacksMs[lateReadBacks];
}

function readTask({ facts }: Reporting): { taskId: string } {
  return { taskId: facts.polled.taskId };
}
