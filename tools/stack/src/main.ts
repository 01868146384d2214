import { parseCommand, USAGE } from "./args.ts";
import { runEntry, say } from "./entry.ts";
import { isHealthy } from "./health.ts";
import { renderEnvironment } from "./instance.ts";
import { installMissing } from "./install.ts";
import { SERVER_NAMES, stackHome } from "./layout.ts";
import { realClientEnvironment, realContext } from "./real-stack.ts";
import { healthCheck } from "./server-plan.ts";
import { down, runningServers, up } from "./up.ts";
import type { StackContext } from "./up.ts";

await runEntry(async (signal) => {
  const command = parseCommand(process.argv.slice(2), process.env);
  if (command.verb === "help") return print(`${USAGE}\n`);
  if (command.verb === "install") {
    await installMissing({ environment: process.env, home: stackHome(process.env) }, { signal, say });
    return 0;
  }
  const context = realContext({ environment: process.env, signal, say }, command.name);
  switch (command.verb) {
    case "up":
      await up(context, command);
      say("both servers are healthy; clients take their settings from: pnpm --silent stack env");
      return 0;
    case "down":
      await down(context);
      return 0;
    case "status":
      return status(context);
    case "env":
      return print(renderEnvironment(await realClientEnvironment(process.env, command.name)));
  }
});

/** One line a server; 3 unless both are healthy. */
async function status({ layout }: StackContext): Promise<number> {
  const running = await runningServers(layout);
  let exitCode = 0;
  for (const server of SERVER_NAMES) {
    const { state, record } = running[server];
    const healthy = record !== undefined && (await isHealthy(healthCheck(server, record.port)));
    if (!healthy) exitCode = 3;
    const word = record === undefined ? state : healthy ? "healthy" : "not healthy";
    print(`${server} ${word}${record === undefined ? "" : ` http://127.0.0.1:${record.port} pid ${record.pid}`}\n`);
  }
  return exitCode;
}

function print(text: string): 0 {
  process.stdout.write(text);
  return 0;
}
