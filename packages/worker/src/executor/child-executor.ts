import type { Clock } from "../attempt/ports/clock.ts";
import type { BodyOutcome, BodyRequest, Executor } from "../attempt/ports/executor.ts";
import { AttemptError } from "../failure.ts";
import { checkOutcome } from "./check-outcome.ts";
import { EXECUTION_MARK } from "./environment.ts";
import type { ExecutorChild } from "./executor-child.ts";
import { later } from "./later.ts";
import { VALIDATE_TIMEOUT_MS } from "./limits.ts";
import type { Account, HostMessage, Reply } from "./messages.ts";
import { markPids, uptimeTicks, type PidMark } from "./process-table.ts";
import { mayHaveStarted } from "./processes.ts";
import { endGroup, settle, type Started } from "./seal.ts";

/** What one hold of an executor process needs, and whom it tells. */
export interface ChildExecutorOptions {
  readonly process: ExecutorChild;
  readonly clock: Clock;
  /** Rule I3: bytes of the serialized result. */
  readonly outputLimitBytes: number;
  /** Makes a text fit for a reason (rule R3); knows the workspace's path once the body runs. */
  readonly clean: (text: string, workspacePath?: string) => string;
  /** A body has ended; `isOwnDeath` where the executor died and nobody had asked it to. */
  readonly onOutcome: (outcome: BodyOutcome, isOwnDeath: boolean) => void;
  /** The process is given back; `rssBytes` is its memory where it is known. */
  readonly onRelease: (rssBytes: number | undefined) => void;
}

const SLOW_SCHEMA = "its params schema took too long";

/** One hold of an executor process by one attempt: the port of that name, over the channel to the process. */
export function holdExecutor(options: ChildExecutorOptions): Executor {
  return new ChildExecutor(options);
}

class ChildExecutor implements Executor {
  readonly #options: ChildExecutorOptions;
  readonly #child: ExecutorChild;
  #stopGrace: (() => void) | undefined;
  readonly #marks: string[] = [];
  #sinceTicks: number | undefined;
  /** When the body began, where it stages nothing. */
  #pidMark: PidMark | undefined;
  #callsInFlight = 0;
  #cancelReason: string | undefined;
  #isSealed = true;
  #isReleased = false;
  #rssBytes: number | undefined;
  /** What the executor said of itself when the last body ended. */
  #account: Account | undefined;

  constructor(options: ChildExecutorOptions) {
    this.#options = options;
    this.#child = options.process;
  }

  async validate(inputData: unknown): ReturnType<Executor["validate"]> {
    const { clean } = this.#options;
    const heard = this.#boundSchema();
    const reply = await this.#ask((call) => ({ type: "validate", call, inputData })).finally(heard);
    if (reply?.type === "validated") return { ok: true };
    if (reply?.type === "refused") return { ok: false, message: clean(reply.message) };
    const hint = "Look at the worker's log file; run `perago check`.";
    throw new AttemptError({ code: "executor_lost", message: clean(await this.#endOf(reply)), hint });
  }

  async run(request: BodyRequest): Promise<BodyOutcome> {
    if (this.#cancelReason !== undefined) {
      return { kind: "lost", message: `cancelled before the body started: ${this.#cancelReason}` };
    }
    this.#isSealed = false;
    this.#marks.push(`${EXECUTION_MARK}=${request.executionId}`);
    this.#sinceTicks ??= uptimeTicks();
    // Where a folder is staged nothing less than a look at all processes will do (rule T8).
    this.#pidMark = request.workspace?.readOnly === false ? undefined : markPids();
    const { outputLimitBytes } = this.#options;
    const begun = "inputData" in request ? this.#boundSchema() : undefined;
    const reply = await this.#ask((call) => ({ type: "run", call, request: plain(request), outputLimitBytes }), begun);
    begun?.();
    this.#stopGrace?.();
    this.#account = reply?.type === "outcome" ? reply : undefined;
    const clean = (text: string): string => this.#options.clean(text, request.workspace?.path);
    const outcome: BodyOutcome =
      reply?.type === "outcome"
        ? checkOutcome(reply.outcome, outputLimitBytes, clean)
        : { kind: "lost", message: clean(await this.#endOf(reply)) };
    this.#options.onOutcome(outcome, outcome.kind === "lost" && this.#cancelReason === undefined);
    return outcome;
  }

  cancel(reason: string, graceMs: number): void {
    if (this.#isReleased || this.#cancelReason !== undefined) return;
    this.#cancelReason = reason;
    this.#child.send({ type: "cancel", reason });
    this.#stopGrace = later(this.#options.clock, graceMs, () => {
      if (this.#callsInFlight > 0) this.#child.kill(reason);
    });
  }

  async seal(): Promise<void> {
    const { clock } = this.#options;
    if (this.#callsInFlight > 0) {
      this.#cancelReason ??= "its body still ran when it was sealed";
      this.#child.kill(this.#cancelReason);
    }
    this.#rssBytes = await settle(this.#child, clock, this.#account);
    this.#account = undefined;
    if (!this.#hasStartedNothing()) await endGroup(this.#child, this.#started, clock);
    this.#isSealed = true;
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#stopGrace?.();
    try {
      if (!this.#isSealed || this.#callsInFlight > 0) await this.seal();
    } catch (error) {
      this.#child.kill("it could not be sealed");
      throw error;
    } finally {
      this.#options.onRelease(this.#rssBytes);
    }
  }

  /** Params schemas are user code, and no time limit of the task's is theirs; answers how to say that one has ended. */
  #boundSchema(): () => void {
    return later(this.#options.clock, VALIDATE_TIMEOUT_MS, () => {
      this.#cancelReason ??= SLOW_SCHEMA;
      this.#child.kill(SLOW_SCHEMA);
    });
  }

  #hasStartedNothing(): boolean {
    const { pid } = this.#child;
    if (!this.#child.isAlive()) return false;
    const group = pid === undefined ? {} : { groupId: pid, keepPid: pid };
    return !mayHaveStarted({ ...this.#started, ...group }, this.#pidMark);
  }

  get #started(): Started {
    return { marks: this.#marks, ...(this.#sinceTicks === undefined ? {} : { sinceTicks: this.#sinceTicks }) };
  }

  async #ask(message: (call: number) => HostMessage, onBegun?: () => void): Promise<Reply | undefined> {
    this.#callsInFlight += 1;
    try {
      return await this.#child.request(message, onBegun);
    } finally {
      this.#callsInFlight -= 1;
    }
  }

  #endOf(reply: Reply | undefined): Promise<string> {
    // An answer of the wrong kind comes from a broken or hostile executor.
    if (reply !== undefined) this.#child.kill("it gave an answer that was not asked for");
    return this.#child.ended;
  }
}

/** Only the fields of the contract cross the channel. */
function plain({ workspace, attempt, executionId, ...rest }: BodyRequest): BodyRequest {
  return {
    ...(workspace === undefined ? {} : { workspace }),
    ...("inputData" in rest ? { inputData: rest.inputData } : {}),
    attempt,
    executionId,
  };
}
