import { join } from "node:path";
import type { Environment } from "./args.ts";
import type { Artifacts } from "./artifacts.ts";
import type { InstanceSettings } from "./instance.ts";
import type { InstanceLayout, ServerName } from "./layout.ts";

/** A server is healthy when `url` answers 2xx and its text holds `text` (which may be empty). */
export interface HealthCheck {
  readonly url: string;
  readonly text: string;
}

/** How either server's health is asked for: lakeFS answers 204, Conductor a JSON object. */
export function healthCheck(server: ServerName, port: number): HealthCheck {
  const origin = `http://127.0.0.1:${port}`;
  return server === "lakefs"
    ? { url: `${origin}/api/v1/healthcheck`, text: "" }
    : { url: `${origin}/health`, text: '"healthy":true' };
}

/** How one server is started and known to be well. A test puts a small script in a real server's place. */
export interface ServerPlan {
  readonly server: ServerName;
  readonly title: string;
  readonly port: number;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Files to write before the start, mode 0600: path and text. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly health: HealthCheck;
  readonly startTimeoutMs: number;
}

const LAKEFS_START_TIMEOUT_MS = 60_000;
const CONDUCTOR_START_TIMEOUT_MS = 180_000;

/** The lakeFS server of an instance. */
export function lakefsPlan(layout: InstanceLayout, settings: InstanceSettings, input: PlanInput): ServerPlan {
  const root = layout.dataRoot("lakefs");
  const config = join(root, "lakefs.yaml");
  return {
    server: "lakefs",
    title: "lakeFS",
    port: settings.lakefsPort,
    file: input.artifacts.lakefs,
    args: ["run", "--config", config],
    cwd: root,
    environment: cleanEnvironment(layout, input.environment),
    files: [{ path: config, text: lakefsConfig(root, settings) }],
    health: healthCheck("lakefs", settings.lakefsPort),
    startTimeoutMs: LAKEFS_START_TIMEOUT_MS,
  };
}

/** The Conductor server of an instance: its default profile, which keeps a sqlite file in the working folder. */
export function conductorPlan(layout: InstanceLayout, settings: InstanceSettings, input: PlanInput): ServerPlan {
  return {
    server: "conductor",
    title: "Conductor",
    port: settings.conductorPort,
    file: input.artifacts.java,
    args: [
      "-Xmx2g",
      `-Djava.io.tmpdir=${layout.temporaryRoot}`,
      "-jar",
      input.artifacts.conductorJar,
      "--server.address=127.0.0.1",
      `--server.port=${settings.conductorPort}`,
    ],
    cwd: layout.dataRoot("conductor"),
    environment: cleanEnvironment(layout, input.environment),
    files: [],
    health: healthCheck("conductor", settings.conductorPort),
    startTimeoutMs: CONDUCTOR_START_TIMEOUT_MS,
  };
}

/** What both plans take beside layout and settings. */
export interface PlanInput {
  readonly artifacts: Artifacts;
  readonly environment: Environment;
}

/**
 * lakeFS' configuration. YAML takes JSON's strings and numbers, so JSON it is: nothing to quote by hand. Its local
 * cache would go to the home folder if it were not named.
 */
export function lakefsConfig(root: string, settings: InstanceSettings): string {
  const config = {
    listen_address: `127.0.0.1:${settings.lakefsPort}`,
    logging: { level: "INFO", format: "text", output: ["-"] },
    database: { type: "local", local: { path: join(root, "metadata") } },
    blockstore: { type: "local", local: { path: join(root, "objects") } },
    committed: { local_cache: { dir: join(root, "cache") } },
    auth: { encrypt: { secret_key: settings.encryptSecretKey } },
    installation: {
      user_name: "perago",
      access_key_id: settings.accessKeyId,
      secret_access_key: settings.secretAccessKey,
    },
    stats: { enabled: false },
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

const PASSED_ON = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ"];

/** Only what a server needs: LAKEFS_*, SPRING_*, SERVER_PORT or JAVA_TOOL_OPTIONS of the caller would change it. */
function cleanEnvironment(layout: InstanceLayout, environment: Environment): Readonly<Record<string, string>> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), TMPDIR: layout.temporaryRoot };
}
