/**
 * The domain that a task is polled in. A `--domain` of this start wins; then the variables that the JavaScript SDK
 * reads, in its order: the task's own before the one for all, `CONDUCTOR_WORKER_<TASK>_DOMAIN` before
 * `conductor.worker.<task>.domain`. Beyond the SDK a name that no shell can set, such as one with a dot, may be written
 * with `_`. Undefined means no domain.
 */
export function resolveDomain(input: {
  readonly taskName: string;
  readonly flag: string | undefined;
  readonly variables: Readonly<Record<string, string | undefined>>;
}): string | undefined {
  const upper = input.taskName.toUpperCase();
  const names = [
    `CONDUCTOR_WORKER_${upper}_DOMAIN`,
    `CONDUCTOR_WORKER_${upper.replace(/[^A-Z0-9_]/g, "_")}_DOMAIN`,
    `conductor.worker.${input.taskName}.domain`,
    "CONDUCTOR_WORKER_ALL_DOMAIN",
    "conductor.worker.all.domain",
  ];
  const candidates = [input.flag, ...names.map((name) => input.variables[name])];
  // An empty variable is unset, as everywhere in the configuration.
  return candidates.map((value) => value?.trim()).find((value) => value !== undefined && value !== "");
}
