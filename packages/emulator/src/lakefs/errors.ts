/** An answer that is not a success: its status, and the message that the real server's has in meaning. */
export class LakefsError extends Error {
  override readonly name = "LakefsError";
  /** HTTP status. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** 404. */
export function notFound(message: string): LakefsError {
  return new LakefsError(404, message);
}

/** 400. */
export function badRequest(message: string): LakefsError {
  return new LakefsError(400, message);
}

/** 501: the emulator does not have this; the real server does. */
export function notInEmulator(what: string): LakefsError {
  return new LakefsError(501, `${what} is not in the emulator: use a real lakeFS server for it`);
}

/** 403 for any write to a read-only repository. */
export function readOnlyRepository(): LakefsError {
  return new LakefsError(403, "read-only repository");
}

/** 400 where a branch has uncommitted changes. */
export function dirtyBranch(branch?: string): LakefsError {
  const text = "uncommitted changes (dirty branch)";
  return badRequest(branch === undefined ? text : `${branch}: ${text}`);
}

/** 400 where there is nothing to commit or merge. */
export function noChanges(context: string): LakefsError {
  return badRequest(`${context}: no changes`);
}

/** The same error with what was being done before its message. */
export function within(context: string, error: unknown): unknown {
  return error instanceof LakefsError ? new LakefsError(error.status, `${context}: ${error.message}`) : error;
}
