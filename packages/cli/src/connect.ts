import { findProxyVariable, LakefsClient, LakefsError } from "@perago/lakefs-sync";
import {
  ConductorError,
  openConductor,
  type ConductorClient,
  type ConductorSettings,
  type LakefsSettings,
  type Settings,
} from "@perago/worker";
import { CommandError } from "./command-error.ts";
import type { CommandContext } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { readSettings, settingsRefused, type SettingsInput } from "./settings.ts";
import { findingLines } from "./output/finding-lines.ts";

/**
 * Runs `work` with a connection and closes it, so that no token timer keeps the process (case P11). What Conductor
 * refuses, or does not answer, is a CommandError with exit code 3.
 */
export async function withConductor<T>(
  { serverUrl, auth }: ConductorSettings,
  work: (client: ConductorClient) => Promise<T>,
): Promise<T> {
  const pair = auth === undefined ? {} : { auth: { keyId: auth.keyId.reveal(), keySecret: auth.keySecret.reveal() } };
  try {
    const client = await openConductor({ serverUrl, ...pair }, () => performance.now());
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  } catch (error) {
    if (!(error instanceof ConductorError)) throw error;
    const { code, message, hint } = error;
    throw new CommandError({ exitCode: EXIT.server, code, message, hint, cause: error });
  }
}

/**
 * The settings of a command that only talks to Conductor; warnings go to stderr. Wrong ones are a CommandError with
 * exit code 2.
 */
export function conductorSettings(context: CommandContext, dotenv: string | undefined): ConductorSettings {
  const needs = { conductor: true, lakefs: false };
  const read = readSettings(context, { needs, ...(dotenv === undefined ? {} : { dotenv }) });
  if (!read.ok) throw settingsRefused(read.findings);
  for (const warning of read.warnings) context.stderr.write(findingLines(context.stderr, warning));
  return requireConductor(read.settings);
}

/** The part about Conductor, which the needs have asked for. */
export function requireConductor({ conductor }: Settings): ConductorSettings {
  if (conductor === undefined) throw new Error("settings were parsed without asking for Conductor");
  return conductor;
}

/**
 * Runs `work` with a lakeFS client and closes it. What lakeFS refuses, or does not answer, is a CommandError with exit
 * code 3.
 */
export async function withLakefs<T>(
  { environment }: CommandContext,
  { endpointUrl, accessKeyId, secretAccessKey }: LakefsSettings,
  work: (client: LakefsClient) => Promise<T>,
): Promise<T> {
  const proxyVariable = findProxyVariable(environment);
  const client = new LakefsClient({
    ...(proxyVariable === undefined ? {} : { proxyVariable }),
    endpoint: endpointUrl,
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
  });
  try {
    return await work(client);
  } catch (error) {
    if (!(error instanceof LakefsError)) throw error;
    const { code, message, hint } = error;
    throw new CommandError({ exitCode: EXIT.server, code, message, hint, cause: error });
  } finally {
    await client.close();
  }
}

/** The settings of a command that only talks to lakeFS; as `conductorSettings` otherwise. */
export function lakefsSettings(
  context: CommandContext,
  input: Pick<SettingsInput, "dotenv" | "overrides">,
): Settings & { readonly lakefs: LakefsSettings } {
  const read = readSettings(context, { ...input, needs: { conductor: false, lakefs: true } });
  if (!read.ok) throw settingsRefused(read.findings);
  for (const warning of read.warnings) context.stderr.write(findingLines(context.stderr, warning));
  const { lakefs } = read.settings;
  if (lakefs === undefined) throw new Error("settings were parsed without asking for lakeFS");
  return { ...read.settings, lakefs };
}
