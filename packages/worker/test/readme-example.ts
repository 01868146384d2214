import { describeModules, parseSettings, readVariables, runHost, systemClock } from "../src/index.ts";

export async function start(modules: readonly string[]): Promise<void> {
  const folder = process.cwd();
  const environment = readVariables(folder);
  // Modules are imported in a child process; the host itself never runs a task's code.
  const { tasks, findings } = await describeModules(modules, { clock: systemClock, environment, folder });
  const refused = findings.filter(({ severity }) => severity === "error");
  if (refused.length > 0) throw new Error(refused.map(({ message }) => message).join("\n"));
  const { settings } = parseSettings({
    variables: environment,
    needs: { conductor: true, lakefs: tasks.some(({ workspace }) => workspace !== undefined) },
    surroundings: { cwd: folder },
  });
  const host = await runHost({ tasks, settings, environment });
  process.once("SIGTERM", () => host.drain());
  const { leftRunningCount } = await host.ended;
  console.error(`ended, ${leftRunningCount} attempts left behind`);
}
