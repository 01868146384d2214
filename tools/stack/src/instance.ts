import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { StackError, systemCodeOf } from "./errors.ts";
import type { InstanceLayout } from "./layout.ts";

/** What an instance keeps between starts. The last three are secrets: the file has mode 0600. */
export interface InstanceSettings {
  readonly lakefsPort: number;
  readonly conductorPort: number;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly encryptSecretKey: string;
}

/** The values that must never be printed. */
export function secretsOf(settings: InstanceSettings): readonly string[] {
  return [settings.secretAccessKey, settings.encryptSecretKey];
}

/** New random credentials for the given ports. */
export function newSettings(ports: { lakefsPort: number; conductorPort: number }): InstanceSettings {
  return {
    ...ports,
    accessKeyId: `AKIA${randomBytes(8).toString("hex").toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString("base64url"),
    encryptSecretKey: randomBytes(32).toString("hex"),
  };
}

/** The settings in a JSON text, or undefined where it is not one of ours. */
export function parseSettings(text: string): InstanceSettings | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const fields = new Map<string, unknown>(Object.entries(value));
  const [lakefsPort, conductorPort] = [fields.get("lakefsPort"), fields.get("conductorPort")];
  const [accessKeyId, secretAccessKey] = [fields.get("accessKeyId"), fields.get("secretAccessKey")];
  const encryptSecretKey = fields.get("encryptSecretKey");
  if (typeof lakefsPort !== "number" || typeof conductorPort !== "number") return undefined;
  if (typeof accessKeyId !== "string" || typeof secretAccessKey !== "string") return undefined;
  if (typeof encryptSecretKey !== "string") return undefined;
  return { lakefsPort, conductorPort, accessKeyId, secretAccessKey, encryptSecretKey };
}

/** Reads an instance's settings; undefined where it has none. Throws SETTINGS_UNREADABLE (exit 2). */
export async function readSettings(layout: InstanceLayout): Promise<InstanceSettings | undefined> {
  let text: string;
  try {
    text = await readFile(layout.settingsFile, "utf8");
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const settings = parseSettings(text);
  if (settings !== undefined) return settings;
  throw new StackError({
    code: "SETTINGS_UNREADABLE",
    message: `${layout.settingsFile} is damaged`,
    hint: `stop the instance's servers if they run, then remove ${layout.root}`,
    exitCode: 2,
  });
}

/** Writes them whole or not at all, readable by the owner only. */
export async function writeSettings(layout: InstanceLayout, settings: InstanceSettings): Promise<void> {
  const temporary = `${layout.settingsFile}.new`;
  await writeFile(temporary, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  await rename(temporary, layout.settingsFile);
}

/** The NAME=value pairs that clients need, in the order in which `stack env` prints them. */
export function clientEnvironment(settings: InstanceSettings, lakectl: string): Readonly<Record<string, string>> {
  return {
    CONDUCTOR_SERVER_URL: `http://127.0.0.1:${settings.conductorPort}/api`,
    LAKECTL_SERVER_ENDPOINT_URL: `http://127.0.0.1:${settings.lakefsPort}`,
    LAKECTL_CREDENTIALS_ACCESS_KEY_ID: settings.accessKeyId,
    LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: settings.secretAccessKey,
    LAKECTL_PATH: lakectl,
  };
}

/** Those pairs as text, one a line. */
export function renderEnvironment(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}
