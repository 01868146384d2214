import { pathToFileURL } from "node:url";
import { isTaskDefinition, parseParams, type AnyTaskDefinition } from "@perago/taskdef";
import { cut } from "../telemetry/line.ts";
import { adviseOnImportError } from "../tasks/import-advice.ts";
import { findingsText, runBody } from "./child-body.ts";
import { describeThrown, type ChildChannel, type ChildSurroundings } from "./child-channel.ts";
import { watchLeftovers } from "./child-leftovers.ts";
import { createServices } from "./child-services.ts";
import { EXECUTION_MARK } from "./environment.ts";
import { MAX_TEXT_LENGTH } from "./limits.ts";
import type { Account, ChildOutcome, HostMessage } from "./messages.ts";

type Of<T extends HostMessage["type"]> = Extract<HostMessage, { type: T }>;

const UNCAUGHT_EXIT_CODE = 70;
const MAX_TOLD_LEFTOVERS = 100;
/** Taken before a module can replace it. */
const later = setImmediate;

/** What the executor knows between two messages. */
interface ChildState {
  task?: AnyTaskDefinition;
  params?: Record<string, unknown>;
  abort?: AbortController;
}

/** Serves the host's messages until the channel closes. Runs in executors only. */
export function startChild(surroundings: ChildSurroundings): void {
  const { channel } = surroundings;
  // Their handles belong to the baseline; else a body's first console.log would look like a leftover.
  void process.stdout;
  void process.stderr;
  const leftovers = watchLeftovers();
  const state: ChildState = {};
  const account = (): Account => ({
    extra: leftovers.extra().slice(0, MAX_TOLD_LEFTOVERS),
    rssBytes: surroundings.memoryBytes(),
  });
  reportUncaught(channel);
  surroundings.receive((message) => {
    switch (message.type) {
      case "init":
        return void init(message, state, surroundings);
      case "validate":
        reset(state, surroundings);
        return void validate(message, state, channel);
      case "run":
        if ("inputData" in message.request) reset(state, surroundings);
        return void run(message, state, channel, { begin: () => leftovers.begin(), account });
      case "cancel":
        return state.abort?.abort(new Error(message.reason));
      case "inspect":
        return void channel.send({ type: "inspected", call: message.call, ...account() });
    }
  });
}

/** Fault H4: the state of a process after an uncaught error is unknown, so it ends; the host hears why. */
function reportUncaught(channel: ChildChannel): void {
  const exit = process.exit.bind(process);
  process.on("uncaughtException", (error, origin) => {
    const what = origin === "unhandledRejection" ? "unhandled rejection" : "uncaught exception";
    void endWith(channel, cut(`${what}: ${describeThrown(error)}`, MAX_TEXT_LENGTH), exit);
  });
}

async function endWith(channel: ChildChannel, fault: string, exit: (code: number) => void): Promise<void> {
  await channel.send({ type: "fault", message: fault });
  exit(UNCAUGHT_EXIT_CODE);
}

async function init(
  message: Of<"init">,
  state: ChildState,
  { channel, memoryBytes }: ChildSurroundings,
): Promise<void> {
  const { modulePath, exportName, taskName } = message;
  try {
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(modulePath).href);
    const task = module[exportName];
    if (!isTaskDefinition(task) || task.name !== taskName) {
      const what = `the export ${exportName} is not the task ${taskName}`;
      const hint = "The module has changed since it was described; start the worker again.";
      return await channel.send({ type: "cannot_start", message: what, hint });
    }
    state.task = task;
    await channel.send({ type: "ready", rssBytes: memoryBytes() });
  } catch (thrown) {
    const { message: what, hint } = adviseOnImportError(thrown, modulePath);
    await channel.send({ type: "cannot_start", message: cut(what, MAX_TEXT_LENGTH), hint: cut(hint, MAX_TEXT_LENGTH) });
  }
}

async function validate(message: Of<"validate">, state: ChildState, channel: ChildChannel): Promise<void> {
  const { call } = message;
  const refusal = await takeParams(message.inputData, state);
  if (refusal !== undefined) return channel.send({ type: "refused", call, message: refusal });
  return channel.send({ type: "validated", call, ok: true });
}

/** Keeps the parsed params for the body; answers why there are none. */
async function takeParams(inputData: unknown, state: ChildState): Promise<string | undefined> {
  if (state.task === undefined) return "no task is loaded";
  const parsed = await parseParams(state.task, inputData);
  if (!parsed.ok) return findingsText(parsed.findings);
  state.params = parsed.value;
  return undefined;
}

async function run(
  message: Of<"run">,
  state: ChildState,
  channel: ChildChannel,
  leftovers: { readonly begin: () => void; readonly account: () => Account },
): Promise<void> {
  const { call, request } = message;
  const abort = new AbortController();
  state.abort = abort;
  // Inherited by whatever the body starts, and readable in /proc/<pid>/environ there (rule T8).
  // oxlint-disable-next-line node/no-process-env -- written, not read: the one way to mark what the body starts
  process.env[EXECUTION_MARK] = request.executionId;
  const refusal = "inputData" in request ? await takeParams(request.inputData, state) : undefined;
  leftovers.begin();
  const outcome = refusal === undefined ? await body(message, state, channel) : inputInvalid(refusal);
  // What the body did not await gets its turn before the account is taken.
  await nextTurn();
  await channel.send({ type: "outcome", call, outcome, ...leftovers.account() });
}

async function body(
  { call, request, outputLimitBytes }: Of<"run">,
  { task, params, abort }: ChildState,
  channel: ChildChannel,
): Promise<ChildOutcome> {
  if (task === undefined || params === undefined || abort === undefined) throw new Error("run came before validate");
  const { signal } = abort;
  if ("inputData" in request) {
    // Told before the body begins, which may let nothing else run.
    await channel.send({ type: "begun", call });
    if (signal.aborted) return { kind: "failed", message: "it was cancelled before the body started" };
  }
  return await runBody({ task, params, request, outputLimitBytes, signal, services: createServices(channel) });
}

function inputInvalid(message: string): ChildOutcome {
  return { kind: "input_invalid", message };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    later(resolve);
  });
}

/** Leaves nothing of one execution to the next, which it begins. */
function reset(state: ChildState, surroundings: ChildSurroundings): void {
  // oxlint-disable-next-line node/no-process-env -- see above
  delete process.env[EXECUTION_MARK];
  delete state.params;
  delete state.abort;
  surroundings.restore();
}
