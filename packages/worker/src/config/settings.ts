import { hostname, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { z } from "zod";
import { cut, safeText } from "../telemetry/line.ts";
import { describeSettings } from "./describe.ts";
import type { Variables } from "./environment.ts";
import { SettingsError, type SettingFinding } from "./finding.ts";
import type { Secret } from "./secret.ts";
import type { LogLevel } from "../telemetry/log.ts";
import { settingsSchema, type ParsedSettings } from "./settings-schema.ts";

/** Where Conductor is. */
export interface ConductorSettings {
  /** Without a trailing slash; ends in `/api` as a rule. */
  readonly serverUrl: string;
  readonly auth?: { readonly keyId: Secret; readonly keySecret: Secret };
}

/** Where lakeFS is. */
export interface LakefsSettings {
  /** Without a trailing slash and without `/api/v1`. */
  readonly endpointUrl: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
}

/** The worker's settings, parsed. Sizes in bytes, times in milliseconds, paths absolute. */
export interface Settings {
  readonly conductor?: ConductorSettings;
  readonly lakefs?: LakefsSettings;
  readonly workspaceRoot: string;
  readonly workspaceMinFreeBytes: number;
  readonly workspaceGcTtlMs: number;
  readonly workspaceGcIntervalMs: number;
  /** Age at which an abandoned staging branch is removed, and the time between two looks (rule X3). */
  readonly branchGcTtlMs: number;
  readonly branchGcIntervalMs: number;
  readonly cacheRoot: string;
  /** 0: no cache. */
  readonly cacheMaxSizeBytes: number;
  readonly logRoot: string;
  readonly logFileMaxSizeBytes: number;
  readonly logRetentionMs: number;
  readonly logLevel: LogLevel;
  /** Conductor's worker id of this host process (rule A1). */
  readonly workerIdPrefix: string;
  readonly executionMode: "process" | "thread";
  readonly failureReasonMaxLength: number;
  readonly outputMaxSizeBytes: number;
  /** Patterns of `repository/branch` (rule I7); absent: all targets. */
  readonly allowedTargets?: readonly string[];
  /** Rule H2. */
  readonly hardFence: "off" | "auto" | "required";
  readonly shutdownForceKillAfterMs?: number;
  /** `-j`: slots of every task that `--slots` does not name. */
  readonly slotsPerTask: number;
  /** `--slots`, by task name. */
  readonly slotsByTask: ReadonlyMap<string, number>;
  /** `--domain`. */
  readonly domain?: string;
  /** What `resolveDomain` reads. */
  readonly domainVariables: Variables;
}

/** Flags of the command that are settings; absent ones are not given. Values are text, as typed. */
export interface SettingFlags {
  readonly jobs?: string;
  readonly slots?: readonly string[];
  readonly domain?: string;
}

/** Which servers the command, with the tasks it was given, cannot do without. */
export interface SettingNeeds {
  readonly conductor: boolean;
  /** False for hosts with workspace-free tasks only. */
  readonly lakefs: boolean;
}

/** Where the surroundings of the process come from; the defaults are the machine's. */
export interface Surroundings {
  readonly cwd: string;
  readonly tmpdir?: string;
  readonly hostname?: string;
  /** In [0, 1). */
  readonly random?: () => number;
}

/**
 * Parses flags and variables with one schema. Empty variables are unset. Throws `SettingsError` with everything that is
 * wrong; what is only worth a word comes back as `warnings`.
 */
export function parseSettings(input: {
  readonly variables: Variables;
  readonly flags?: SettingFlags;
  readonly needs: SettingNeeds;
  readonly surroundings: Surroundings;
}): { readonly settings: Settings; readonly warnings: readonly SettingFinding[] } {
  const set = setVariables(input.variables);
  const flags = input.flags ?? {};
  const parsed = settingsSchema.safeParse({
    ...set,
    ...(flags.jobs === undefined ? {} : { "-j": flags.jobs }),
    ...(flags.slots === undefined ? {} : { "--slots": flags.slots }),
    ...(flags.domain === undefined ? {} : { "--domain": flags.domain }),
  });
  const findings = [
    ...(parsed.success ? [] : parsed.error.issues.map(toFinding)),
    ...missingFindings(set, input.needs),
    ...refusedFindings(set),
  ];
  if (!parsed.success || findings.length > 0) throw new SettingsError(findings);
  return { settings: toSettings(parsed.data, set, input.surroundings), warnings: addressWarnings(set) };
}

/** All secret values of the settings, for the log's redactor, and lakeFS' pair as HTTP basic sends it (case A01). */
export function secretValues(settings: Settings): readonly string[] {
  const { auth } = settings.conductor ?? {};
  const { lakefs } = settings;
  const secrets = [auth?.keyId, auth?.keySecret, lakefs?.secretAccessKey];
  const values = secrets.flatMap((secret) => (secret === undefined ? [] : [secret.reveal()]));
  return lakefs === undefined ? values : [...values, `${lakefs.accessKeyId}:${lakefs.secretAccessKey.reveal()}`];
}

function setVariables(variables: Variables): Record<string, string> {
  const entries = Object.entries(variables).map(([name, value]) => [name, value?.trim() ?? ""] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}

const MAX_WORDS_LENGTH = 200;

function toFinding(issue: z.core.$ZodIssue): SettingFinding {
  const name = String(issue.path[0] ?? "settings");
  const params: unknown = issue.code === "custom" ? issue.params : undefined;
  const hint = typeof params === "object" && params !== null && "hint" in params ? String(params.hint) : undefined;
  const form = describeSettings().find((setting) => setting.name === name)?.text;
  // Some repeat what was written, which may be anything (fault J5).
  return { name, message: safeText(cut(issue.message, MAX_WORDS_LENGTH)), hint: hint ?? form ?? "Correct the value" };
}

const LAKEFS_NAMES = [
  "LAKECTL_SERVER_ENDPOINT_URL",
  "LAKECTL_CREDENTIALS_ACCESS_KEY_ID",
  "LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY",
] as const;
const AUTH_NAMES = ["CONDUCTOR_AUTH_KEY", "CONDUCTOR_AUTH_SECRET"] as const;

function missingFindings(set: Readonly<Record<string, string>>, needs: SettingNeeds): SettingFinding[] {
  const missing: SettingFinding[] = [];
  const tell = (name: string, message: string): void => {
    missing.push({ name, message, hint: `Set ${name} in the environment or in .env` });
  };
  if (needs.conductor && set["CONDUCTOR_SERVER_URL"] === undefined) tell("CONDUCTOR_SERVER_URL", "is not set");
  const someLakefs = LAKEFS_NAMES.some((name) => set[name] !== undefined);
  for (const name of LAKEFS_NAMES) {
    if (set[name] !== undefined) continue;
    if (needs.lakefs) tell(name, "is not set, and a task has a workspace");
    else if (someLakefs) tell(name, "is not set, and the other lakeFS variables are");
  }
  const someAuth = AUTH_NAMES.some((name) => set[name] !== undefined);
  for (const name of AUTH_NAMES)
    if (someAuth && set[name] === undefined) tell(name, "is not set, and the other half of the key pair is");
  return missing;
}

/** Case A04: no switch turns certificate checks off. */
function refusedFindings(set: Readonly<Record<string, string>>): SettingFinding[] {
  const hint = "Name the private certificate authority in NODE_EXTRA_CA_CERTS";
  const refused: SettingFinding[] = [];
  const insecure = set["CONDUCTOR_TLS_INSECURE"];
  if (insecure !== undefined && !/^(false|0)$/i.test(insecure)) {
    refused.push({
      name: "CONDUCTOR_TLS_INSECURE",
      message: "would switch certificate checks off, and is refused",
      hint,
    });
  }
  if (set["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
    refused.push({
      name: "NODE_TLS_REJECT_UNAUTHORIZED",
      message: "switches certificate checks off, and is refused",
      hint,
    });
  }
  return refused;
}

function addressWarnings(set: Readonly<Record<string, string>>): SettingFinding[] {
  const warnings: SettingFinding[] = [];
  const conductor = set["CONDUCTOR_SERVER_URL"];
  const lakefs = set["LAKECTL_SERVER_ENDPOINT_URL"];
  if (conductor !== undefined && !/\/api\/*$/.test(conductor)) {
    warnings.push({
      name: "CONDUCTOR_SERVER_URL",
      message: "does not end in /api",
      hint: "Conductor's API is below /api as a rule",
    });
  }
  for (const [name, value] of [
    ["CONDUCTOR_SERVER_URL", conductor],
    ["LAKECTL_SERVER_ENDPOINT_URL", lakefs],
  ] as const) {
    if (value?.endsWith("/") === true)
      warnings.push({ name, message: "ends in a slash, which is left out", hint: "Remove the slash" });
  }
  if (lakefs !== undefined && /\/api\/v1\/*$/.test(lakefs)) {
    warnings.push({
      name: "LAKECTL_SERVER_ENDPOINT_URL",
      message: "ends in /api/v1, which is left out",
      hint: "Remove /api/v1",
    });
  }
  return warnings;
}

function toSettings(parsed: ParsedSettings, set: Readonly<Record<string, string>>, around: Surroundings): Settings {
  const tmp = around.tmpdir ?? tmpdir();
  const path = (value: string | undefined, name: string): string =>
    resolve(around.cwd, value ?? join(tmp, "perago", name));
  const forceKillMs = parsed.PERAGO_SHUTDOWN_FORCE_KILL_AFTER;
  const allowedTargets = parsed.PERAGO_ALLOWED_TARGETS;
  return {
    ...serverSettings(parsed),
    workspaceRoot: path(parsed.PERAGO_WORKSPACE_ROOT, "workspaces"),
    workspaceMinFreeBytes: parsed.PERAGO_WORKSPACE_MIN_FREE,
    workspaceGcTtlMs: parsed.PERAGO_WORKSPACE_GC_TTL,
    workspaceGcIntervalMs: parsed.PERAGO_WORKSPACE_GC_INTERVAL,
    branchGcTtlMs: parsed.PERAGO_BRANCH_GC_TTL,
    branchGcIntervalMs: parsed.PERAGO_BRANCH_GC_INTERVAL,
    cacheRoot: path(parsed.PERAGO_CACHE_ROOT, "cache"),
    cacheMaxSizeBytes: parsed.PERAGO_CACHE_MAX_SIZE,
    logRoot: path(parsed.PERAGO_LOG_ROOT, "logs"),
    logFileMaxSizeBytes: parsed.PERAGO_LOG_FILE_MAX_SIZE,
    logRetentionMs: parsed.PERAGO_LOG_RETENTION,
    logLevel: parsed.PERAGO_LOG_LEVEL,
    workerIdPrefix: parsed.PERAGO_WORKER_ID_PREFIX ?? defaultWorkerIdPrefix(around),
    executionMode: parsed.PERAGO_EXECUTION_MODE,
    failureReasonMaxLength: parsed.PERAGO_FAILURE_REASON_MAX_LENGTH,
    outputMaxSizeBytes: parsed.PERAGO_OUTPUT_MAX_SIZE,
    ...(allowedTargets === undefined ? {} : { allowedTargets }),
    hardFence: parsed.PERAGO_HARD_FENCE,
    ...(forceKillMs === undefined ? {} : { shutdownForceKillAfterMs: forceKillMs }),
    slotsPerTask: parsed["-j"],
    slotsByTask: new Map(parsed["--slots"].map((each) => [each.taskName, each.slotCount])),
    ...(parsed["--domain"] === undefined ? {} : { domain: parsed["--domain"] }),
    domainVariables: Object.fromEntries(
      Object.entries(set).filter(([name]) => /^CONDUCTOR_WORKER_|^conductor\.worker\./.test(name)),
    ),
  };
}

function serverSettings(parsed: ParsedSettings): Pick<Settings, "conductor" | "lakefs"> {
  const keyId = parsed.CONDUCTOR_AUTH_KEY;
  const keySecret = parsed.CONDUCTOR_AUTH_SECRET;
  const serverUrl = parsed.CONDUCTOR_SERVER_URL?.replace(/\/+$/, "");
  const endpointUrl = parsed.LAKECTL_SERVER_ENDPOINT_URL?.replace(/(\/+|\/api\/v1\/*)$/, "");
  const accessKeyId = parsed.LAKECTL_CREDENTIALS_ACCESS_KEY_ID;
  const secretAccessKey = parsed.LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY;
  const auth = keyId === undefined || keySecret === undefined ? {} : { auth: { keyId, keySecret } };
  return {
    ...(serverUrl === undefined ? {} : { conductor: { serverUrl, ...auth } }),
    ...(endpointUrl === undefined || accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : { lakefs: { endpointUrl, accessKeyId, secretAccessKey } }),
  };
}

function defaultWorkerIdPrefix(around: Surroundings): string {
  const random = around.random ?? Math.random;
  const letters = Array.from({ length: 6 }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join("");
  const host = (around.hostname ?? hostname())
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 60);
  return `${host === "" ? "host" : host}-${letters}`;
}
