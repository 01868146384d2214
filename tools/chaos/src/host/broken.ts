import { INPUT_REF, LOGICAL_TASK_KEY, logicalTaskKey, PHASE, SCHEDULED_TIME, TASK_ID } from "@perago/fence";
import type { AttemptPorts, PortsOwner } from "@perago/worker";

/** Ways to break a host on purpose, so that an audit has something to catch. */
export const BREAKAGES = ["fence_skipped", "attempt_unchecked"] as const;

/**
 * A host that breaks a rule. `fence_skipped`: whatever stands on the target counts as this logical task's own older
 * commit (rules P2, P3). `attempt_unchecked`: every read of the attempt shows it as current (rules A1, R8).
 */
export function breakPorts(breakage: string, ports: AttemptPorts, { polled }: PortsOwner): AttemptPorts {
  const { store, source } = ports;
  if (breakage === "attempt_unchecked") {
    const held = { ...polled, status: "IN_PROGRESS", hasResult: false };
    return { ...ports, source: { read: async (taskId) => (await source.read(taskId)) && held, report: source.report } };
  }
  if (breakage !== "fence_skipped" || store === undefined) return ports;
  const key = logicalTaskKey(polled);
  return {
    ...ports,
    store: new Proxy(store, {
      get(target, name, receiver) {
        if (name !== "readRange") return Reflect.get(target, name, receiver);
        const readRange: typeof target.readRange = async (request) => {
          const range = await target.readRange(request);
          return {
            ...range,
            commits: range.commits.map((commit) => ({ ...commit, metadata: own(key, commit.metadata) })),
          };
        };
        return readRange;
      },
    }),
  };
}

/** The words of a confirm commit of an older delivery; what its maker expected stays. */
function own(key: string, metadata: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const claimed = { [PHASE]: "confirm", [LOGICAL_TASK_KEY]: key, [TASK_ID]: "older", [SCHEDULED_TIME]: "0" };
  return { "perago.prefix": "work/", "perago.retry_count": "0", [INPUT_REF]: "", ...metadata, ...claimed };
}
