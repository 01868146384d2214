/** How a step ended. `details` are shown where it failed, and always where the step was asked for by name. */
export interface StepResult {
  readonly ok: boolean;
  /** A few words after the time, e.g. counts. */
  readonly note?: string;
  readonly details: string;
}

/** One check of the gate. */
export interface Step {
  readonly name: string;
  readonly run: () => Promise<StepResult>;
}

/** What the runner needs from outside. */
export interface RunnerPorts {
  readonly print: (line: string) => void;
  /** Monotonic time in milliseconds. */
  readonly nowMs: () => number;
}

/**
 * Runs the steps in order, one line each, then shows the details of all that failed. Returns the exit code: 1 when any
 * failed.
 */
export async function runSteps(
  steps: readonly Step[],
  { print, nowMs }: RunnerPorts,
  verbose: boolean,
): Promise<0 | 1> {
  const details: string[] = [];
  let exitCode: 0 | 1 = 0;
  for (const step of steps) {
    const startedMs = nowMs();
    const result = await step.run().catch(brokenStep);
    const seconds = ((nowMs() - startedMs) / 1000).toFixed(1);
    const note = result.note === undefined ? "" : `  ${result.note}`;
    print(`${result.ok ? "ok    " : "FAILED"} ${step.name.padEnd(7)} ${seconds.padStart(6)} s${note}`);
    if (!result.ok) exitCode = 1;
    if ((!result.ok || verbose) && result.details.trim() !== "")
      details.push(`\n--- ${step.name}\n${result.details.trimEnd()}`);
  }
  for (const text of details) print(text);
  return exitCode;
}

function brokenStep(error: unknown): StepResult {
  return { ok: false, details: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
