import type { AttemptSource, PolledTask, Report, TaskRead } from "../../src/attempt/ports/attempt-source.ts";

interface Task {
  workflowInstanceId: string;
  taskId: string;
  retryCount: number;
  scheduledTime: number;
  pollCount: number;
  workerId: string;
  status: string;
  output?: Record<string, unknown>;
  reason?: string;
  retriedTaskId?: string;
}

const finalStatuses = new Set(["COMPLETED", "FAILED", "FAILED_WITH_TERMINAL_ERROR", "TIMED_OUT", "CANCELED"]);

/** One step of one workflow in memory, with Conductor's life of a task (servers.md, "one step over its life"). */
export class MemoryConductor {
  readonly tasks: Task[] = [];
  /** Everything that was reported, also what was dropped. */
  readonly reports: Report[] = [];
  #time = 1000;

  readonly workflowInstanceId: string;

  constructor(workflowInstanceId = "wf-1") {
    this.workflowInstanceId = workflowInstanceId;
    this.schedule();
  }

  get current(): Task {
    const task = this.tasks.at(-1);
    if (task === undefined) throw new Error("no task");
    return task;
  }

  /** A restart: a new task id, and retry counts from 0 again. */
  schedule(retryCount = 0, retriedTaskId?: string): void {
    const taskId = `task-${this.tasks.length + 1}`;
    this.tasks.push({
      workflowInstanceId: this.workflowInstanceId,
      taskId,
      retryCount,
      scheduledTime: this.#tick(),
      pollCount: 0,
      workerId: "",
      status: "SCHEDULED",
      ...(retriedTaskId === undefined ? {} : { retriedTaskId }),
    });
  }

  /** The response timeout strikes, or the task failed: a retry with a new task id. */
  retry(status = "TIMED_OUT"): void {
    const old = this.current;
    if (!finalStatuses.has(old.status)) old.status = status;
    this.schedule(old.retryCount + 1, old.taskId);
  }

  /** A rerun from the task keeps task id and retry count. */
  rerun(): void {
    Object.assign(this.current, { status: "SCHEDULED", scheduledTime: this.#tick(), pollCount: 0 });
  }

  poll(input: unknown, workerId = "host-a"): PolledTask {
    const task = this.current;
    Object.assign(task, { status: "IN_PROGRESS", workerId, pollCount: task.pollCount + 1 });
    const { workflowInstanceId, taskId, retryCount, scheduledTime, pollCount, retriedTaskId } = task;
    return {
      workflowInstanceId,
      taskId,
      retryCount,
      scheduledTime,
      pollCount,
      workerId,
      ...(retriedTaskId === undefined ? {} : { retriedTaskId }),
      taskDefName: "features.build",
      referenceTaskName: "build",
      iteration: 0,
      inputData: input,
      responseTimeoutSeconds: 600,
      pollSentAtMs: 0,
      receivedAtMs: 0,
    };
  }

  source(): AttemptSource {
    return {
      read: (taskId) => Promise.resolve(this.#read(taskId)),
      report: (report) => {
        this.reports.push(report);
        this.#take(report);
        return Promise.resolve();
      },
    };
  }

  #take(report: Report): void {
    const task = this.tasks.find(({ taskId }) => taskId === report.taskId);
    // The engine answers 200 also for what it drops, and checks neither worker nor delivery.
    if (task === undefined || finalStatuses.has(task.status)) return;
    task.status = report.status;
    if (report.outputJson !== undefined) task.output = JSON.parse(report.outputJson) as Record<string, unknown>;
    if (report.reasonForIncompletion !== undefined) task.reason = report.reasonForIncompletion;
  }

  #read(taskId: string): TaskRead | null {
    const task = this.tasks.find((candidate) => candidate.taskId === taskId);
    if (task === undefined) return null;
    const { output, reason: _, retriedTaskId: __, ...identity } = task;
    const workspace = output?.["workspace"] as { ref?: string } | undefined;
    const outputRef = workspace?.ref;
    return {
      ...identity,
      hasResult: output !== undefined && "result" in output,
      ...(outputRef === undefined ? {} : { outputRef }),
    };
  }

  #tick(): number {
    this.#time += 1000;
    return this.#time;
  }
}
