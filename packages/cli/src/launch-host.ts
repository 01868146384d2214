import { LakefsError } from "@perago/lakefs-sync";
import {
  ConductorError,
  HostLockError,
  PreflightError,
  runHost,
  type RunHostOptions,
  type RunningHost,
} from "@perago/worker";
import { CommandError } from "./command-error.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { Finding } from "./findings.ts";
import { shownPath } from "./read-modules.ts";

/** Starts the host; what it refuses is a CommandError: unregistered TaskDefs 1, a used workspace root 2, servers 3. */
export async function launchHost(
  options: RunHostOptions,
  named: { readonly folder: string; readonly modules: readonly string[] },
): Promise<RunningHost> {
  try {
    return await runHost(options);
  } catch (error) {
    if (error instanceof PreflightError) throw unregistered(error, options, named);
    if (error instanceof HostLockError) throw refusal(EXIT.usage, error);
    if (error instanceof ConductorError || error instanceof LakefsError) throw refusal(EXIT.server, error);
    throw error;
  }
}

function refusal(
  exitCode: ExitCode,
  error: { readonly code: string; readonly message: string; readonly hint: string },
): CommandError {
  const { code, message, hint } = error;
  return new CommandError({ exitCode, code, message, hint, cause: error });
}

function unregistered(
  error: PreflightError,
  { tasks }: RunHostOptions,
  { folder, modules }: { readonly folder: string; readonly modules: readonly string[] },
): CommandError {
  const hint = `Register them: perago register ${modules.join(" ")}`;
  const findings = error.findings.map(({ severity, code, taskName, message }): Finding => {
    const file = tasks.find(({ name }) => name === taskName)?.modulePath;
    const where = file === undefined ? {} : { file: shownPath(folder, file) };
    return { severity, ...where, task: taskName, code, message, hint };
  });
  const message = `Conductor lacks the TaskDefs of ${findings.length} of ${tasks.length} tasks`;
  return new CommandError({ exitCode: EXIT.bad, code: error.code, message, hint, findings, cause: error });
}
