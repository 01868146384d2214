import type { UpCommand } from "./args.ts";
import { StackError } from "./errors.ts";
import { newSettings } from "./instance.ts";
import type { InstanceSettings } from "./instance.ts";
import type { ServerName } from "./layout.ts";
import { decidePort, freePort, isPortFree, portHolder } from "./ports.ts";
import type { ServerPlan } from "./server-plan.ts";
import type { Running } from "./start-all.ts";

/**
 * The instance's settings with the ports that it is to have; new credentials where it has none yet. Throws
 * ALREADY_RUNNING (exit 2) where another port is asked for than the one a server listens on.
 */
export async function choosePorts(
  command: UpCommand,
  { earlier, running }: { earlier: InstanceSettings | undefined; running: Running },
): Promise<InstanceSettings> {
  const lakefsPort = await choosePort("lakefs", command, { earlierPort: earlier?.lakefsPort, running });
  const conductorPort = await choosePort("conductor", command, { earlierPort: earlier?.conductorPort, running });
  return earlier === undefined ? newSettings({ lakefsPort, conductorPort }) : { ...earlier, lakefsPort, conductorPort };
}

async function choosePort(
  server: ServerName,
  command: UpCommand,
  { earlierPort, running }: { earlierPort: number | undefined; running: Running },
): Promise<number> {
  const choice = decidePort(server, command, earlierPort);
  const current = running[server].record?.port;
  if (current !== undefined) {
    if (choice.kind !== "fixed" || choice.port === current) return current;
    throw new StackError({
      code: "ALREADY_RUNNING",
      message: `${server} of instance "${command.name}" already runs on port ${current}, not ${choice.port}`,
      hint: "stop it first (pnpm stack down), or start another instance with --name",
      exitCode: 2,
    });
  }
  if (choice.kind === "any") return freePort();
  return choice.kind === "fixed" || (await isPortFree(choice.port)) ? choice.port : freePort();
}

/** Throws PORT_IN_USE (exit 2) for the first plan whose port is taken, naming who has it where that can be seen. */
export async function refuseBusyPorts(plans: readonly ServerPlan[]): Promise<void> {
  for (const { title, port, server } of plans) {
    if (await isPortFree(port)) continue;
    const holder = await portHolder(port);
    throw new StackError({
      code: "PORT_IN_USE",
      message: `port ${port} for ${title} is in use${holder === undefined ? "" : ` by ${holder}`}`,
      hint: `end it, or take another port: --${server}-port N or --free-ports`,
      exitCode: 2,
    });
  }
}
