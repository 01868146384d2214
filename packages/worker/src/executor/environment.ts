const HIDDEN_PREFIXES = ["CONDUCTOR_", "LAKECTL_", "PERAGO_"];
const HIDDEN_NAMES: ReadonlySet<string> = new Set([
  "NODE_OPTIONS",
  "NODE_CHANNEL_FD",
  "NODE_CHANNEL_SERIALIZATION_MODE",
]);

/** Set for the processes of one execution: what carries it is ended with the execution (rule T8). */
export const EXECUTION_MARK = "PERAGO_EXECUTION_MARK";
/** Set for all executors of a host and what they start: the next host finds the strays of a killed one (case S06). */
export const HOST_MARK = "PERAGO_EXECUTOR_HOST";

/**
 * The environment for user code: the host's without the servers' settings, without ours, without NODE_OPTIONS, and
 * without what the settings call secret. It keeps no secret from a process of the same user that goes looking.
 */
export function scrubEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  secretNames: readonly string[] = [],
): Record<string, string> {
  const hidden = new Set([...HIDDEN_NAMES, ...secretNames].map((name) => name.toUpperCase()));
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    const upper = name.toUpperCase();
    if (value === undefined || hidden.has(upper)) continue;
    if (!HIDDEN_PREFIXES.some((prefix) => upper.startsWith(prefix))) kept[name] = value;
  }
  return kept;
}
