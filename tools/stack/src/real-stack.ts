import { join } from "node:path";
import { CONDUCTOR_JAR_SHA256, lakectlPath, provideArtifacts } from "./artifacts.ts";
import type { Environment } from "./args.ts";
import { StackError } from "./errors.ts";
import { clientEnvironment, readSettings } from "./instance.ts";
import type { InstanceSettings } from "./instance.ts";
import { instanceLayout, stackHome } from "./layout.ts";
import { conductorPlan, lakefsPlan } from "./server-plan.ts";
import { runningServers } from "./up.ts";
import type { UpContext } from "./up.ts";

const MODULE_ROOT = join(import.meta.dirname, "..", "..", "lakefs");

/** What an entry point hands in: its environment, its signal and where messages go. */
export interface EntryContext {
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** The context of `up` and `down` with the real servers. */
export function realContext({ environment, signal, say }: EntryContext, name: string): UpContext {
  const home = stackHome(environment);
  const layout = instanceLayout(home, name);
  const plan = async (settings: InstanceSettings) => {
    const provision = {
      home,
      moduleRoot: MODULE_ROOT,
      conductorJarSha256: CONDUCTOR_JAR_SHA256,
      environment,
      signal,
      say,
    };
    const artifacts = await provideArtifacts(provision);
    const input = { artifacts, environment };
    return [lakefsPlan(layout, settings, input), conductorPlan(layout, settings, input)];
  };
  return { layout, signal, say, plan };
}

/** What clients of a running instance need. Throws NOT_RUNNING (exit 3). */
export async function realClientEnvironment(
  environment: Environment,
  name: string,
): Promise<Readonly<Record<string, string>>> {
  const home = stackHome(environment);
  const layout = instanceLayout(home, name);
  const settings = await readSettings(layout);
  const { lakefs, conductor } = await runningServers(layout);
  if (settings !== undefined && lakefs.state === "running" && conductor.state === "running") {
    return clientEnvironment(settings, await lakectlPath({ home, moduleRoot: MODULE_ROOT }));
  }
  throw new StackError({
    code: "NOT_RUNNING",
    message: `instance "${name}" is not running`,
    hint: "start it: pnpm stack up",
    exitCode: 3,
  });
}
