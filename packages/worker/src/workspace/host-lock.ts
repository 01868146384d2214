import { mkdirSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";

/**
 * The file whose kernel lock the host holds. Nothing but SQLite may open it: closing any other handle of it would
 * drop the lock.
 */
export const LOCK_NAME = ".perago-host.lock";
/** Who holds the lock, for people. */
export const LOCK_OWNER_NAME = ".perago-host.json";

/** File systems whose locks do not hold between machines, by `statfs` type: NFS, SMB, CIFS. */
const NETWORK_DISKS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB2"],
  [0xff534d42, "CIFS"],
]);

const ownerSchema = z.object({ pid: z.int(), startedAt: z.string(), workerIdPrefix: z.string() });

/** Another host has the root, or the root cannot hold a lock. */
export class HostLockError extends Error {
  readonly code: "host_lock_held" | "workspace_root_unusable";
  readonly hint: string;

  constructor(code: HostLockError["code"], message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.name = "HostLockError";
    this.code = code;
    this.hint = hint;
  }
}

/** The lock of one workspace root; held until `release` or the end of the process, whatever ends it. */
export interface HostLock {
  release(): void;
}

/**
 * Takes the lock of a workspace root, making the root where it is missing: one host per root (fault H3). The lock is
 * the kernel's, so a host that was killed leaves none, and a process id that is used again means nothing. Throws
 * `HostLockError`.
 */
export function takeHostLock(
  root: string,
  owner: { readonly pid: number; readonly startedAtMs: number; readonly workerIdPrefix: string },
): HostLock {
  prepareRoot(root);
  const database = openExclusive(root);
  const ownerPath = join(root, LOCK_OWNER_NAME);
  const text = JSON.stringify({ ...owner, startedAt: new Date(owner.startedAtMs).toISOString() });
  writeFileSync(`${ownerPath}.new`, `${text}\n`, { mode: 0o600 });
  renameSync(`${ownerPath}.new`, ownerPath);
  let isHeld = true;
  return {
    release() {
      if (!isHeld) return;
      isHeld = false;
      rmSync(ownerPath, { force: true });
      database.close();
    },
  };
}

function prepareRoot(root: string): void {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const network = NETWORK_DISKS.get(statfsSync(root).type);
    if (network === undefined) return;
    throw new HostLockError(
      "workspace_root_unusable",
      `the workspace root is on a network disk (${network})`,
      "Set PERAGO_WORKSPACE_ROOT to a folder on a local disk",
    );
  } catch (error) {
    if (error instanceof HostLockError) throw error;
    throw unusable(error);
  }
}

function openExclusive(root: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(join(root, LOCK_NAME), { timeout: 0 });
    // In this mode SQLite keeps the lock of the first write until it is closed.
    database.exec(
      "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version=1; COMMIT;",
    );
    return database;
  } catch (error) {
    database?.close();
    // 5 is SQLITE_BUSY.
    if (error instanceof Error && "errcode" in error && error.errcode === 5) throw held(root);
    throw unusable(error);
  }
}

function held(root: string): HostLockError {
  const owner = readOwner(root);
  const who = owner === undefined ? "" : ` (process ${owner.pid}, started ${owner.startedAt})`;
  return new HostLockError(
    "host_lock_held",
    `another host uses this workspace root${who}`,
    "Stop it, or give this host its own PERAGO_WORKSPACE_ROOT",
  );
}

function readOwner(root: string): z.infer<typeof ownerSchema> | undefined {
  try {
    const parsed = ownerSchema.safeParse(JSON.parse(readFileSync(join(root, LOCK_OWNER_NAME), "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

function unusable(error: unknown): HostLockError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  return new HostLockError(
    "workspace_root_unusable",
    `the workspace root cannot be used: ${code}`,
    "Set PERAGO_WORKSPACE_ROOT to a folder on a local disk that this user may write",
    error,
  );
}
