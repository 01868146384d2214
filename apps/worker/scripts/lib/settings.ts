import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";

import { z } from "zod";

import { UsageError } from "./usage-error.ts";

const ENV_FILE = new URL("../../.env", import.meta.url);

const required = z.string({ error: "is not set" });
const address = required.regex(/^https?:\/\//, "is not an http address");

const lakefsSettings = z.object({
  LAKECTL_SERVER_ENDPOINT_URL: address,
  LAKECTL_CREDENTIALS_ACCESS_KEY_ID: required,
  LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: required,
});
const conductorSettings = z.object({
  CONDUCTOR_SERVER_URL: address,
  CONDUCTOR_AUTH_KEY: z.string().optional(),
  CONDUCTOR_AUTH_SECRET: z.string().optional(),
});

/** How the scripts reach lakeFS. */
export interface LakefsSettings {
  /** Without `/api/v1`. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** How the scripts reach Conductor. */
export interface ConductorSettings {
  /** With `/api`. */
  readonly serverUrl: string;
  /** Empty where the server wants no key. */
  readonly keyId: string;
  readonly keySecret: string;
}

/**
 * lakeFS settings of the environment, and below it of `.env`.
 * @throws {UsageError} naming all variables that are missing or malformed, never a value.
 */
export function readLakefsSettings(): LakefsSettings {
  const env = parse(lakefsSettings);
  return {
    endpoint: env.LAKECTL_SERVER_ENDPOINT_URL.replace(/\/+$/, ""),
    accessKeyId: env.LAKECTL_CREDENTIALS_ACCESS_KEY_ID,
    secretAccessKey: env.LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY,
  };
}

/**
 * Conductor settings of the environment, and below it of `.env`.
 * @throws {UsageError} naming all variables that are missing or malformed, never a value.
 */
export function readConductorSettings(): ConductorSettings {
  const env = parse(conductorSettings);
  return {
    serverUrl: env.CONDUCTOR_SERVER_URL,
    keyId: env.CONDUCTOR_AUTH_KEY ?? "",
    keySecret: env.CONDUCTOR_AUTH_SECRET ?? "",
  };
}

function parse<T extends z.ZodObject>(schema: T): z.output<T> {
  const file = existsSync(ENV_FILE) ? parseEnv(readFileSync(ENV_FILE, "utf8")) : {};
  const parsed = schema.safeParse({ ...withoutEmpty(file), ...withoutEmpty(process.env) });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
  throw new UsageError(`${problems.join("; ")}. Set it, or copy .env.example to .env`);
}

/** A variable that is set to nothing counts as unset. */
function withoutEmpty(env: NodeJS.Dict<string>): NodeJS.Dict<string> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
}
