import type { AttemptPorts, InterposePorts, PhaseName, PortsOwner } from "@perago/worker";
import { createFactReader } from "./facts.ts";
import type { ExecutionName, Fact, GateMessage } from "./messages.ts";

/** Where a step stops: tells the controller, and resolves when it says "go on". */
export type Gate = (stop: Omit<GateMessage, "type" | "gate">) => Promise<void>;

/** What stands between attempts and their ports: every question stops before it is asked and after it is answered. */
export function gatedPorts(gate: Gate, note: (execution: ExecutionName, name: string, text: string) => void) {
  return ((ports, owner) => {
    const execution = nameOf(owner);
    const facts = createFactReader(owner);
    let phase: PhaseName = "validate";
    const around = async (args: readonly unknown[], ask: () => Promise<unknown>): Promise<unknown> => {
      const now = phase;
      const before = await facts.before(now, args);
      await gate({ execution, phase: now, side: "before", ...(before === undefined ? {} : { fact: before }) });
      let fact: Fact | undefined;
      try {
        const answer = await ask();
        fact = facts.after(now, answer);
        return answer;
      } finally {
        await gate({ execution, phase: now, side: "after", ...(fact === undefined ? {} : { fact }) });
      }
    };
    const { store, workspace, source, executor, lease, observer } = ports;
    const gated: AttemptPorts = {
      ...ports,
      source: stopping(source, around),
      executor: stopping(executor, around),
      lease: stopping(lease, around),
      ...(store === undefined ? {} : { store: stopping(store, around) }),
      ...(workspace === undefined ? {} : { workspace: stopping(workspace, around) }),
      observer: {
        ...observer,
        asking(name) {
          phase = name;
          observer.asking?.(name);
        },
        note(told) {
          note(execution, told.name, told.message);
          observer.note(told);
        },
      },
    };
    return gated;
  }) satisfies InterposePorts;
}

type Around = (args: readonly unknown[], ask: () => Promise<unknown>) => Promise<unknown>;

/** Methods that answer at once: they ask nobody. */
const IMMEDIATE: ReadonlySet<string | symbol> = new Set(["deadlineMs", "cancel"]);

/** The same port, each of its methods stopped before and after. */
function stopping<T extends object>(port: T, around: Around): T {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function" || IMMEDIATE.has(name)) {
        return typeof method === "function" ? method.bind(target) : method;
      }
      return (...args: unknown[]) => around(args, async () => Reflect.apply(method, target, args));
    },
  });
}

function nameOf({ executionId, workerId, polled }: PortsOwner): ExecutionName {
  const { workflowInstanceId, taskId, taskDefName, referenceTaskName, iteration } = polled;
  const { retryCount, scheduledTime, pollCount } = polled;
  const task = { taskId, taskDefName, referenceTaskName, iteration, retryCount, scheduledTime, pollCount };
  return { executionId, workerId, workflowId: workflowInstanceId, ...task };
}
