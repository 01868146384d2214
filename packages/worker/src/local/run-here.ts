import { DEFAULT_OUTPUT_LIMIT_BYTES, parseParams, type AnyTaskDefinition } from "@perago/taskdef";
import type { BodyOutcome, Executor } from "../attempt/ports/executor.ts";
import { checkOutcome } from "../executor/check-outcome.ts";
import { findingsText, runBody } from "../executor/child-body.ts";
import { driveLocally, type LocalDrive, type LocalRun } from "./drive-locally.ts";
import type { LocalLogLine } from "./line-log.ts";

/** What {@link runHere} needs. */
export interface HereRunOptions extends Omit<LocalDrive, "task"> {
  readonly task: AnyTaskDefinition;
  /** Told of what the body logs. Default: nobody. */
  readonly onLog?: (line: LocalLogLine) => void;
}

/**
 * As `runLocally`, with the body in this very process: for tests, where breakpoints, coverage and stubs are wanted. A
 * body that hangs or ends the process is not fenced off, and nobody looks for what it leaves behind.
 */
export async function runHere(options: HereRunOptions): Promise<LocalRun> {
  const { task } = options;
  const { name, workspace, controls } = task;
  if (workspace !== undefined && options.folder === undefined) throw new Error(`${name} needs a folder`);
  const described = {
    name,
    timeoutSeconds: controls.timeout.seconds,
    ...(workspace === undefined ? {} : { workspace }),
  };
  return await driveLocally({ ...options, task: described }, hereExecutor(options));
}

function hereExecutor({ task, onLog, outputLimitBytes = DEFAULT_OUTPUT_LIMIT_BYTES }: HereRunOptions): Executor {
  const abort = new AbortController();
  let params: Record<string, unknown> | undefined;
  const validate: Executor["validate"] = async (inputData) => {
    const parsed = await parseParams(task, inputData);
    if (!parsed.ok) return { ok: false, message: findingsText(parsed.findings) };
    params = parsed.value;
    return { ok: true };
  };
  return {
    validate,
    async run(request): Promise<BodyOutcome> {
      const checked = "inputData" in request ? await validate(request.inputData) : undefined;
      if (checked?.ok === false) return { kind: "input_invalid", message: checked.message };
      if (abort.signal.aborted) return { kind: "lost", message: "cancelled before the body started" };
      if (params === undefined) throw new Error("run came before validate");
      const services = servicesFor(onLog ?? (() => {}));
      const call = { task, params, request, outputLimitBytes, signal: abort.signal, services };
      return checkOutcome(await runBody(call), outputLimitBytes, (text) => text);
    },
    cancel: (reason) => abort.abort(new Error(reason)),
    seal: () => Promise.resolve(),
    release: () => Promise.resolve(),
  };
}

function servicesFor(onLog: (line: LocalLogLine) => void): Parameters<typeof runBody>[0]["services"] {
  const at =
    (level: LocalLogLine["level"]) =>
    (message: string, fields: LocalLogLine["fields"] = {}): void =>
      onLog({ level, message, fields });
  const ignore = (): void => {};
  return {
    log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
    metrics: { counter: ignore, gauge: ignore, histogram: ignore },
    progress: ignore,
  };
}
