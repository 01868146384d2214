import type { AttemptPorts } from "./driver.ts";

/**
 * The same ports; the executor is given back once the engine has the result, and `onReleased` is told: for tasks
 * without a workspace, of which nothing else is left in a slot. The result is read back (rule R6) beside the slot's
 * next attempt. Where the executor cannot be given back the attempt's own clean-up tells so (rule X1).
 */
export function releasingEarly(ports: AttemptPorts, onReleased: () => void): AttemptPorts {
  const { executor, source } = ports;
  let releasing: Promise<void> | undefined;
  const release = (): Promise<void> => (releasing ??= executor.release());
  return {
    ...ports,
    source: {
      ...source,
      async report(report, timeoutMs) {
        await source.report(report, timeoutMs);
        await release().then(onReleased, () => undefined);
      },
    },
    executor: {
      validate: (inputData) => executor.validate(inputData),
      run: (request) => executor.run(request),
      cancel: (reason, graceMs) => executor.cancel(reason, graceMs),
      seal: () => executor.seal(),
      release,
    },
  };
}
