import { join } from "node:path";
import { parseCommand, USAGE } from "./args.ts";
import type { StackCommand } from "./args.ts";
import { lakectlPath, provideArtifacts } from "./artifacts.ts";
import { messageOf, StackError } from "./errors.ts";
import { isHealthy } from "./health.ts";
import { clientEnvironment, readSettings, renderEnvironment } from "./instance.ts";
import type { InstanceSettings } from "./instance.ts";
import { instanceLayout, stackHome } from "./layout.ts";
import { conductorPlan, lakefsPlan } from "./server-plan.ts";
import { down, runningServers, up } from "./up.ts";

const MODULE_ROOT = join(import.meta.dirname, "..", "..", "lakefs");

const stop = new AbortController();
for (const [signal, exitCode] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.once(signal, () => {
    process.exitCode = exitCode;
    stop.abort(new Error(`stopped by ${signal}`));
  });
}

try {
  await run(parseCommand(process.argv.slice(2), process.env));
} catch (error) {
  say(error instanceof StackError ? `${error.message}\n  -> ${error.hint}` : messageOf(error));
  process.exitCode ??= error instanceof StackError ? error.exitCode : 1;
}

async function run(command: StackCommand): Promise<void> {
  if (command.verb === "help") return print(`${USAGE}\n`);
  const home = stackHome(process.env);
  const layout = instanceLayout(home, command.name);
  const common = { layout, signal: stop.signal, say };
  switch (command.verb) {
    case "down":
      return down(common);
    case "status":
      return status(command.name);
    case "env":
      return printEnvironment(command.name);
    case "up": {
      const context = { home, moduleRoot: MODULE_ROOT, environment: process.env, signal: stop.signal, say };
      const plan = async (settings: InstanceSettings) => {
        const input = { artifacts: await provideArtifacts(context), environment: process.env };
        return [lakefsPlan(layout, settings, input), conductorPlan(layout, settings, input)];
      };
      await up({ ...common, plan }, command);
      return say("both servers are healthy; clients take their settings from: pnpm --silent stack env");
    }
  }
}

/** One line a server on stdout; exit 3 unless both run and are healthy. */
async function status(name: string): Promise<void> {
  const layout = instanceLayout(stackHome(process.env), name);
  const running = await runningServers(layout);
  const checks = [
    ["lakefs", running.lakefs, "/api/v1/healthcheck", undefined],
    ["conductor", running.conductor, "/health", '"healthy":true'],
  ] as const;
  for (const [server, record, path, healthText] of checks) {
    const url = `http://127.0.0.1:${record?.port}`;
    const healthy =
      record !== undefined &&
      (await isHealthy({ healthUrl: `${url}${path}`, ...(healthText === undefined ? {} : { healthText }) }));
    const state =
      record === undefined ? "not running" : `${healthy ? "healthy" : "not healthy"} ${url} pid ${record.pid}`;
    print(`${server} ${state}\n`);
    if (!healthy) process.exitCode = 3;
  }
}

async function printEnvironment(name: string): Promise<void> {
  const home = stackHome(process.env);
  const settings = await readSettings(instanceLayout(home, name));
  const running = await runningServers(instanceLayout(home, name));
  if (settings === undefined || running.lakefs === undefined || running.conductor === undefined) {
    throw new StackError({
      code: "NOT_RUNNING",
      message: `instance "${name}" is not running`,
      hint: "start it: pnpm stack up",
      exitCode: 3,
    });
  }
  print(renderEnvironment(clientEnvironment(settings, await lakectlPath({ home, moduleRoot: MODULE_ROOT }))));
}

function print(text: string): void {
  process.stdout.write(text);
}

function say(line: string): void {
  process.stderr.write(`stack: ${line}\n`);
}
