import { startEmulator, type Emulator } from "@perago/emulator";

/** Variables that name servers, settings or proxies of whoever starts the demo; its processes get none of them. */
const FOREIGN_NAMES = /^(CONDUCTOR_|LAKECTL_|PERAGO_|NODE_OPTIONS$|NODE_USE_ENV_PROXY$|NODE_V8_COVERAGE$|VITEST)/i;

/** Starts the embedded servers on free loopback ports, with their state in a temporary folder. */
export function startServers(): Promise<Emulator> {
  return startEmulator({ ephemeral: true });
}

/** The environment of the demo's processes: that of the demo, with the embedded servers and folders of their own. */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  { lakefs, conductor }: Pick<Emulator, "lakefs" | "conductor">,
  folder: string,
): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || FOREIGN_NAMES.test(name) ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(kept),
    CONDUCTOR_SERVER_URL: conductor.url,
    LAKECTL_SERVER_ENDPOINT_URL: lakefs.url,
    LAKECTL_CREDENTIALS_ACCESS_KEY_ID: lakefs.accessKeyId,
    LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: lakefs.secretAccessKey,
    PERAGO_WORKSPACE_ROOT: `${folder}/workspaces`,
    PERAGO_LOG_ROOT: `${folder}/logs`,
    PERAGO_CACHE_ROOT: `${folder}/cache`,
    PERAGO_WORKER_ID_PREFIX: "demo-",
  };
}
