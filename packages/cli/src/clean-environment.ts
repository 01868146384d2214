import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Names the file that holds the taken variables; meaningless once the file is read. */
const HANDOVER = "PERAGO_HANDOVER";
/** The servers' keys: the secret ones, and the key id that only means something beside one of them. */
export const SECRET_NAMES: readonly string[] = [
  "CONDUCTOR_AUTH_KEY",
  "CONDUCTOR_AUTH_SECRET",
  "LAKECTL_CREDENTIALS_ACCESS_KEY_ID",
  "LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY",
];
const MEMORY_FOLDER = "/dev/shm";

/** What {@link hideSecrets} does it with; the process' own in production. */
export interface Handover {
  readonly environment: Environment;
  /** Replaces the process; undefined where the system cannot. */
  readonly replace: ((environment: Record<string, string>) => void) | undefined;
}

/**
 * Keeps the secrets of a host out of `/proc/<pid>/environ`, where a body that looks at its parent would find them: the
 * process hands them to itself in a file of mode 0600 (in memory where there is such a folder), is replaced by the same
 * command without them, and removes the file as it reads it. Answers the whole environment, which is then only in
 * memory.
 * No sandbox: a process of the same user can do more than look.
 */
export function hideSecrets({ environment, replace }: Handover): Environment {
  const file = environment[HANDOVER];
  if (file !== undefined) return { ...without(environment, [HANDOVER]), ...takeOver(file) };
  const secrets = SECRET_NAMES.flatMap((name) => {
    const value = environment[name];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  if (secrets.length === 0 || replace === undefined) return environment;
  const folder = mkdtempSync(path.join(existsSync(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), "perago-handover-"));
  const written = path.join(folder, "variables.json");
  try {
    writeFileSync(written, JSON.stringify(Object.fromEntries(secrets)), { mode: 0o600 });
    replace({ ...without(environment, SECRET_NAMES), [HANDOVER]: written });
  } catch {
    // Not replaced: the host runs all the same, as on a system without this call.
  }
  rmSync(folder, { recursive: true, force: true });
  return environment;
}

function takeOver(file: string): Record<string, string> {
  try {
    const values: unknown = JSON.parse(readFileSync(file, "utf8"));
    const entries = typeof values === "object" && values !== null ? Object.entries(values) : [];
    return Object.fromEntries(
      entries.filter(([name]) => SECRET_NAMES.includes(name)).map(([name, value]) => [name, String(value)]),
    );
  } catch {
    // Read before, as by a command that this one's environment was copied to: then there is nothing to take.
    return {};
  } finally {
    if (path.basename(path.dirname(file)).startsWith("perago-handover-")) {
      rmSync(path.dirname(file), { recursive: true, force: true });
    }
  }
}

function without(environment: Environment, names: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !names.includes(name)) kept[name] = value;
  }
  return kept;
}
