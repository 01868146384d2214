import type { Clock } from "../attempt/ports/clock.ts";
import type { BodyOutcome, BodyRequest, Executor } from "../attempt/ports/executor.ts";
import { AttemptError } from "../failure.ts";
import { EXECUTION_MARK } from "./environment.ts";
import type { ExecutorProcess } from "./executor-process.ts";
import { INSPECT_TIMEOUT_MS, SETTLE_MS, SETTLE_POLL_MS, VALIDATE_TIMEOUT_MS } from "./limits.ts";
import type { ChildOutcome, HostMessage, Reply } from "./messages.ts";
import { CAN_LIST_PROCESSES, endProcesses } from "./processes.ts";

/** What one hold of an executor process needs, and whom it tells. */
export interface ChildExecutorOptions {
  readonly process: ExecutorProcess;
  readonly clock: Clock;
  /** Rule I3: bytes of the serialized result. */
  readonly outputLimitBytes: number;
  /** Makes a text fit for a reason (rule R3); knows the workspace's path once the body runs. */
  readonly clean: (text: string, workspacePath?: string) => string;
  /** The body came to an outcome of its own, or the executor died by itself. */
  readonly onOutcome: (outcome: BodyOutcome, isOwnDeath: boolean) => void;
  /** The process is given back; `rssBytes` is its memory where it is known. */
  readonly onRelease: (rssBytes: number | undefined) => void;
}

/** One hold of an executor process by one attempt: the port of that name, over the channel to the process. */
export function holdExecutor(options: ChildExecutorOptions): Executor {
  const { process: child, clock, clean } = options;
  const stopWaits = new AbortController();
  const marks: string[] = [];
  let callsInFlight = 0;
  let cancelReason: string | undefined;
  let isSealed = true;
  let isReleased = false;
  let rssBytes: number | undefined;

  const ask = async (message: (call: number) => HostMessage): Promise<Reply | undefined> => {
    callsInFlight += 1;
    try {
      return await child.request(message);
    } finally {
      callsInFlight -= 1;
    }
  };
  const seal = async (): Promise<void> => {
    if (callsInFlight > 0) child.kill("its body still ran when the workspace was sealed");
    if (child.isAlive()) rssBytes = await settle(child, clock);
    await endGroup(child, marks, clock);
    isSealed = true;
  };
  return {
    validate: async (inputData) => {
      const reply = await within(child, clock, VALIDATE_TIMEOUT_MS, "its params schema took too long", () =>
        ask((call) => ({ type: "validate", call, inputData })),
      );
      if (reply?.type === "validated") return { ok: true };
      if (reply?.type === "refused") return { ok: false, message: clean(reply.message) };
      throw executorLost(clean(await endOf(child, reply)));
    },
    run: async (request) => {
      if (cancelReason !== undefined) return { kind: "lost", message: `cancelled before the start: ${cancelReason}` };
      isSealed = false;
      marks.push(`${EXECUTION_MARK}=${request.executionId}`);
      const limit = options.outputLimitBytes;
      const reply = await ask((call) => ({
        type: "run",
        call,
        request: plainRequest(request),
        outputLimitBytes: limit,
      }));
      stopWaits.abort();
      const outcome =
        reply?.type === "outcome"
          ? checkOutcome(reply.outcome, limit, (text) => clean(text, request.workspace?.path))
          : ({ kind: "lost", message: clean(await endOf(child, reply), request.workspace?.path) } as const);
      options.onOutcome(outcome, outcome.kind === "lost" && cancelReason === undefined);
      return outcome;
    },
    cancel: (reason, graceMs) => {
      if (isReleased || cancelReason !== undefined) return;
      cancelReason = reason;
      child.send({ type: "cancel", reason });
      void clock.wait(graceMs, stopWaits.signal).then(() => {
        if (!stopWaits.signal.aborted && callsInFlight > 0) child.kill(reason);
      });
    },
    seal,
    release: async () => {
      if (isReleased) return;
      isReleased = true;
      stopWaits.abort();
      try {
        if (callsInFlight > 0) child.kill("it was given back while it worked");
        if (!isSealed || callsInFlight > 0) await seal();
        child.send({ type: "reset" });
      } catch (error) {
        child.kill("it could not be sealed");
        throw error;
      } finally {
        options.onRelease(rssBytes);
      }
    },
  };
}

/** Rule T8: asks until nothing beyond the baseline is left; what stays, or does not answer, is killed. */
async function settle(child: ExecutorProcess, clock: Clock): Promise<number | undefined> {
  const deadlineMs = clock.nowMs() + SETTLE_MS;
  do {
    const reply = await within(child, clock, INSPECT_TIMEOUT_MS, "it did not answer after the body's end", () =>
      child.request((call) => ({ type: "inspect", call })),
    );
    if (reply?.type !== "inspected") {
      child.kill("it gave no account of what the body left");
      return undefined;
    }
    if (reply.extra.length === 0) return reply.rssBytes;
    if (clock.nowMs() >= deadlineMs) {
      child.kill(`the body left ${reply.extra.join(", ")} behind`);
      return undefined;
    }
    await clock.wait(SETTLE_POLL_MS);
  } while (child.isAlive());
  return undefined;
}

/** Rule T8, case S05: the rest of the group, and on Linux what carries the mark, is killed and waited for. */
async function endGroup(child: ExecutorProcess, marks: readonly string[], clock: Clock): Promise<void> {
  if (!CAN_LIST_PROCESSES) child.kill("processes cannot be listed on this system");
  const pid = child.pid;
  const keep = pid !== undefined && child.isAlive() ? { keepPid: pid } : {};
  const left = await endProcesses({ ...(pid === undefined ? {} : { groupId: pid }), marks, ...keep }, clock);
  if (left.length === 0) return;
  throw new AttemptError({
    code: "workspace_unstageable",
    message: `processes that the body started cannot be ended: ${left.join(", ")}`,
    hint: "End what the body starts before it returns; look at these processes on the worker.",
  });
}

/** Kills the process where the answer does not come in time. */
async function within<T>(
  child: ExecutorProcess,
  clock: Clock,
  timeoutMs: number,
  reason: string,
  action: () => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  void clock.wait(timeoutMs, stop.signal).then(() => {
    if (!stop.signal.aborted) child.kill(reason);
  });
  try {
    return await action();
  } finally {
    stop.abort();
  }
}

async function endOf(child: ExecutorProcess, reply: Reply | undefined): Promise<string> {
  // An answer of the wrong kind is a broken or hostile executor.
  if (reply !== undefined) child.kill("it gave an answer that was not asked for");
  return child.ended;
}

function executorLost(message: string): AttemptError {
  return new AttemptError({
    code: "executor_lost",
    message,
    hint: "Look at the worker's log file; run `perago check`.",
  });
}

/** The host believes no size and no JSON of an executor (rule I3). */
function checkOutcome(outcome: ChildOutcome, limitBytes: number, clean: (text: string) => string): BodyOutcome {
  switch (outcome.kind) {
    case "returned": {
      const sizeBytes = Buffer.byteLength(outcome.resultJson);
      if (sizeBytes > limitBytes) return { kind: "output_too_large", sizeBytes, limitBytes };
      if (!isJsonObject(outcome.resultJson)) return { kind: "output_invalid", message: "the result is no JSON object" };
      return { kind: "returned", resultJson: outcome.resultJson, sizeBytes };
    }
    case "output_too_large":
      return outcome;
    default:
      return { kind: outcome.kind, message: clean(outcome.message) };
  }
}

function isJsonObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Only the fields of the contract cross the channel. */
function plainRequest(request: BodyRequest): Extract<HostMessage, { type: "run" }>["request"] {
  const { workspace, attempt, executionId } = request;
  return { ...(workspace === undefined ? {} : { workspace: { ...workspace } }), attempt: { ...attempt }, executionId };
}
