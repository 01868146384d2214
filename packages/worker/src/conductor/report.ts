import type { Report } from "../attempt/ports/attempt-source.ts";
import type { ConductorHttp } from "./http.ts";

/**
 * Sends a result once, by the first version of the update: the second one may answer with a next task, already claimed
 * for us (case R17). Bounded by `timeoutMs` (rule R4). Throws `ConductorError`. A 200 proves nothing: the engine
 * answers it for dropped results too (rule R6).
 */
export async function sendReport(http: ConductorHttp, report: Report, timeoutMs: number): Promise<void> {
  const head = JSON.stringify({
    workflowInstanceId: report.workflowInstanceId,
    taskId: report.taskId,
    workerId: report.workerId,
    status: report.status,
    reasonForIncompletion: report.reasonForIncompletion,
  });
  // The output is text already, and may be megabytes: it is put in as it is instead of being parsed and written again
  // on the host's thread.
  const bodyJson = report.outputJson === undefined ? head : `${head.slice(0, -1)},"outputData":${report.outputJson}}`;
  await http.send({ method: "POST", path: "/tasks", bodyJson, timeoutMs });
}

/**
 * Extends a lease (case R03): `extendLease` and nothing else. There is no status in it, so an engine that does not know
 * the flag cannot take it for a progress update, which would put the task back into the queue. Throws `ConductorError`.
 */
export async function sendHeartbeat(
  http: ConductorHttp,
  held: { readonly workflowInstanceId: string; readonly taskId: string; readonly workerId: string },
  timeoutMs: number,
): Promise<void> {
  const bodyJson = JSON.stringify({
    workflowInstanceId: held.workflowInstanceId,
    taskId: held.taskId,
    workerId: held.workerId,
    extendLease: true,
  });
  await http.send({ method: "POST", path: "/tasks", bodyJson, timeoutMs });
}
