import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { SettingsError } from "./finding.ts";

/** Names and values, as an environment has them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The process' environment as it is, copied. The one place of this package that reads it. */
export function processVariables(): Variables {
  return { ...process.env };
}

/**
 * The environment, and below it the `.env` of the folder, parsed as Node's `process.loadEnvFile` does: what the
 * environment has stays. Nothing is written into the environment, so that no child inherits the file. Throws
 * `SettingsError` where the file is there and cannot be read.
 */
export function readVariables(folder: string, environment: Variables = processVariables()): Variables {
  const path = join(folder, ".env");
  try {
    return { ...parseEnv(readFileSync(path, "utf8")), ...environment };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    if (code === "ENOENT") return environment;
    throw new SettingsError([
      { name: ".env", message: `.env cannot be read: ${code}`, hint: "Make it a readable file, or remove it" },
    ]);
  }
}
