import { join } from "node:path";
import type { Environment } from "./args.ts";
import type { ServerName } from "./layout.ts";
import { withLock } from "./lock.ts";
import type { InstanceSettings } from "./instance.ts";
import { realClientEnvironment, realContext } from "./real-stack.ts";
import type { ServerPlan } from "./server-plan.ts";
import { killServer, startServer, waitHealthy } from "./supervise.ts";
import { down, up } from "./up.ts";

/** One instance of both servers, for a test that ends and restarts them. */
export interface StackInstance {
  /** What clients need: the lines of `stack env`. */
  readonly environment: Readonly<Record<string, string>>;
  /** SIGKILL, as a crash does; resolves when the process is gone. Its data stay. */
  kill(server: ServerName): Promise<void>;
  /** Starts it again on its data and its port; resolves when it is healthy. */
  restart(server: ServerName): Promise<void>;
}

/** Who wants an instance. */
export interface InstanceRequest {
  readonly name: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/**
 * Brings an instance up with empty data on free ports, and stops it when `use` is over, however it ends. Throws
 * StackError as `stack up` does, and LOCKED where another process uses the instance.
 */
export async function withInstance<Result>(
  request: InstanceRequest,
  use: (instance: StackInstance) => Promise<Result>,
): Promise<Result> {
  const { name, environment, signal, say } = request;
  const real = realContext({ environment, signal, say }, name);
  const context = {
    ...real,
    plan: async (settings: InstanceSettings) => (await real.plan(settings)).map(quickToStart),
  };
  const { layout } = context;
  const file = join(layout.root, "run-lock.db");
  return withLock({ file, guards: `instance "${name}"`, timeoutMs: 0, signal, say }, async () => {
    try {
      const any = { name, lakefsPort: undefined, conductorPort: undefined };
      const settings = await up(context, { verb: "up", ...any, freePorts: true, fresh: true });
      const plans = await context.plan(settings);
      return await use({
        environment: await realClientEnvironment(environment, name),
        kill: (server) => killServer(layout, server),
        async restart(server) {
          const plan = plans.find((each) => each.server === server);
          if (plan === undefined) throw new Error(`no plan for ${server}`);
          const record = await startServer(layout, plan);
          await waitHealthy({ layout, plan, record, secrets: [], signal });
        },
      });
    } finally {
      // The caller's signal may have come: stopping must not be stopped by it.
      await down({ ...context, signal: new AbortController().signal });
    }
  });
}

/** A machine on which things are killed is a busy one. */
const START_TIMEOUT_MS = 600_000;

/** A server that is killed often had better start soon than run fast: the JVM compiles once and little. */
function quickToStart(plan: ServerPlan): ServerPlan {
  const args = plan.server === "conductor" ? ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", ...plan.args] : plan.args;
  return { ...plan, args, startTimeoutMs: START_TIMEOUT_MS };
}
