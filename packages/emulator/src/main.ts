import { parseArgs } from "node:util";
import { checkFolder } from "./check.ts";
import { startEmulator, type Emulator, type EmulatorOptions } from "./emulator.ts";

const EXIT_USAGE = 2;
const MAX_PORT = 65_535;

const usage = `perago-emulator: a lakeFS-shaped and a Conductor-shaped server for development and tests

  --folder DIR            keep the state in DIR
  --ephemeral             keep the state in a temporary folder, removed at the end (the default)
  --lakefs-port N         port of the lakeFS part (default: a free one)
  --conductor-port N      port of the Conductor part (default: a free one)
  --check                 check the state in --folder (nothing else may use it), say what is wrong, and end
  --help                  this text
`;

await main();

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) return;
  // The handlers are there before anybody can know that there is something to end.
  const ended = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
  try {
    const emulator = await startEmulator(options);
    process.stdout.write(settings(emulator));
    await ended;
    await emulator.close();
  } catch (error) {
    fail(error, 1);
  }
}

function readOptions(args: string[]): EmulatorOptions | undefined {
  try {
    const { values } = parseArgs({
      args,
      options: {
        folder: { type: "string" },
        ephemeral: { type: "boolean" },
        "lakefs-port": { type: "string" },
        "conductor-port": { type: "string" },
        check: { type: "boolean" },
        help: { type: "boolean" },
      },
    });
    if (values.help === true) {
      process.stdout.write(usage);
      return undefined;
    }
    if (values.check === true) {
      check(values.folder);
      return undefined;
    }
    return {
      ...(values.folder === undefined ? {} : { folder: values.folder }),
      ...(values.ephemeral === undefined ? {} : { ephemeral: values.ephemeral }),
      lakefsPort: readPort("--lakefs-port", values["lakefs-port"]),
      conductorPort: readPort("--conductor-port", values["conductor-port"]),
    };
  } catch (error) {
    fail(error, EXIT_USAGE);
    return undefined;
  }
}

function check(folder: string | undefined): void {
  if (folder === undefined) throw new TypeError("--check needs --folder");
  const findings = checkFolder(folder);
  for (const finding of findings) process.stdout.write(`${finding}\n`);
  if (findings.length > 0) process.exitCode = 1;
}

function readPort(name: string, text: string | undefined): number {
  if (text === undefined) return 0;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= MAX_PORT)) throw new TypeError(`${name} takes a number from 0 to ${MAX_PORT}, not "${text}"`);
  return port;
}

function settings(emulator: Emulator): string {
  const lines = [
    `CONDUCTOR_SERVER_URL=${emulator.conductor.url}`,
    `LAKECTL_SERVER_ENDPOINT_URL=${emulator.lakefs.url}`,
    `LAKECTL_CREDENTIALS_ACCESS_KEY_ID=${emulator.lakefs.accessKeyId}`,
    `LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY=${emulator.lakefs.secretAccessKey}`,
  ];
  return `${lines.join("\n")}\n`;
}

function fail(error: unknown, exitCode: number): void {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = exitCode;
}
