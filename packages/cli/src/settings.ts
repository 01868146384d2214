import { readFileSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import {
  parseSettings,
  readVariables,
  SettingsError,
  type SettingFinding,
  type SettingFlags,
  type SettingNeeds,
  type Settings,
  type Variables,
} from "@perago/worker";
import { CommandError } from "./command-error.ts";
import type { CommandContext } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import type { Finding } from "./findings.ts";

/** Settings, or everything that is wrong with them; warnings in either case. */
export type ReadSettings =
  | { readonly ok: true; readonly settings: Settings; readonly warnings: readonly Finding[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** What {@link readSettings} reads. */
export interface SettingsInput {
  /** Instead of `.env` in the working folder. */
  readonly dotenv?: string;
  /** Variables that have a flag of their own, by the flag: the flag wins. */
  readonly overrides?: Readonly<Record<string, { readonly flag: string; readonly value: string }>>;
  readonly flags?: SettingFlags;
  readonly needs: SettingNeeds;
}

/** Parses flags, environment and env file; all findings at once. */
export function readSettings(context: CommandContext, input: SettingsInput): ReadSettings {
  const overrides = Object.entries(input.overrides ?? {});
  try {
    const variables = {
      ...variablesOf(context, input.dotenv),
      ...Object.fromEntries(overrides.map(([name, { value }]) => [name, value])),
    };
    const { settings, warnings } = parseSettings({
      variables,
      ...(input.flags === undefined ? {} : { flags: input.flags }),
      needs: input.needs,
      surroundings: { cwd: context.folder },
    });
    return { ok: true, settings, warnings: warnings.map((finding) => toFinding(finding, "warning", input)) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { ok: false, findings: error.findings.map((finding) => toFinding(finding, "error", input)) };
  }
}

/** The error of wrong settings (exit code 2), with all of them. */
export function settingsRefused(findings: readonly Finding[]): CommandError {
  return new CommandError({
    exitCode: EXIT.usage,
    code: "settings_invalid",
    message: "the settings cannot be used",
    hint: "Correct what is listed; the table of settings stands in the README of @perago/worker.",
    findings,
  });
}

function variablesOf({ environment, folder }: CommandContext, dotenv: string | undefined): Variables {
  if (dotenv === undefined) return readVariables(folder, environment);
  try {
    return { ...parseEnv(readFileSync(path.resolve(folder, dotenv), "utf8")), ...environment };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    const hint = "Name a file of NAME=value lines that can be read.";
    throw new SettingsError([{ name: "--dotenv", message: `${dotenv} cannot be read: ${code}`, hint }]);
  }
}

function toFinding(finding: SettingFinding, severity: Finding["severity"], { overrides }: SettingsInput): Finding {
  const { message, hint } = finding;
  const setting = overrides?.[finding.name]?.flag ?? finding.name;
  return { severity, setting, code: severity === "error" ? "setting_invalid" : "setting_doubtful", message, hint };
}
