import type { Clock } from "../attempt/ports/clock.ts";
import type { BodyOutcome, BodyRequest, Executor } from "../attempt/ports/executor.ts";
import { AttemptError } from "../failure.ts";
import { checkOutcome } from "./check-outcome.ts";
import { EXECUTION_MARK } from "./environment.ts";
import type { ExecutorChild } from "./executor-child.ts";
import { VALIDATE_TIMEOUT_MS } from "./limits.ts";
import type { Account, HostMessage, Reply } from "./messages.ts";
import { newestPid, uptimeTicks } from "./process-table.ts";
import { endGroup, settle, within, type Started } from "./seal.ts";

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

/** One hold of an executor process by one attempt: the port of that name, over the channel to the process. */
export function holdExecutor(options: ChildExecutorOptions): Executor {
  return new ChildExecutor(options);
}

class ChildExecutor implements Executor {
  readonly #options: ChildExecutorOptions;
  readonly #child: ExecutorChild;
  readonly #stopGrace = new AbortController();
  readonly #marks: string[] = [];
  #sinceTicks: number | undefined;
  /** Set while nobody can have started anything since the body began. */
  #newestPid: string | undefined;
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
    const { clock, clean } = this.#options;
    const reply = await within(this.#child, clock, VALIDATE_TIMEOUT_MS, "its params schema took too long", () =>
      this.#ask((call) => ({ type: "validate", call, inputData })),
    );
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
    // Process ids come round again, so where a folder is staged it is no proof (rule T8).
    this.#newestPid = request.workspace?.readOnly === false ? undefined : newestPid();
    const { outputLimitBytes } = this.#options;
    const reply = await this.#ask((call) => ({ type: "run", call, request: plain(request), outputLimitBytes }));
    this.#stopGrace.abort();
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
    const stop = this.#stopGrace.signal;
    void this.#options.clock.wait(graceMs, stop).then(() => {
      if (!stop.aborted && this.#callsInFlight > 0) this.#child.kill(reason);
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
    if (!this.#hasStartedNothing()) await endGroup(this.#child, this.#started(), clock);
    this.#isSealed = true;
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#stopGrace.abort();
    try {
      if (!this.#isSealed || this.#callsInFlight > 0) await this.seal();
      this.#child.send({ type: "reset" });
    } catch (error) {
      this.#child.kill("it could not be sealed");
      throw error;
    } finally {
      this.#options.onRelease(this.#rssBytes);
    }
  }

  #hasStartedNothing(): boolean {
    return this.#child.isAlive() && this.#newestPid !== undefined && this.#newestPid === newestPid();
  }

  #started(): Started {
    return { marks: this.#marks, ...(this.#sinceTicks === undefined ? {} : { sinceTicks: this.#sinceTicks }) };
  }

  async #ask(message: (call: number) => HostMessage): Promise<Reply | undefined> {
    this.#callsInFlight += 1;
    try {
      return await this.#child.request(message);
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
function plain({ workspace, attempt, executionId }: BodyRequest): Extract<HostMessage, { type: "run" }>["request"] {
  return { ...(workspace === undefined ? {} : { workspace: { ...workspace } }), attempt: { ...attempt }, executionId };
}
