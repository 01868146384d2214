import type { SyncWorker } from "@perago/lakefs-sync";
import { evaluateGuardrails, type Guardrail } from "@perago/taskdef";
import type { Workspace } from "../attempt/ports/workspace.ts";
import { AttemptError } from "../failure.ts";
import { asSyncAttempt } from "./sync-failure.ts";

/** Where one execution's folder lies and how it goes away again. */
export interface AttemptSite {
  /** Absolute path of the folder that the body sees. It must not exist yet; its parent is made by `prepare`. */
  readonly folder: string;
  /** Makes the parent and puts the attempt marker there. */
  prepare(): Promise<void>;
  /** Removes everything below the site, marker included (rule X1). */
  remove(): Promise<void>;
}

/** What one workspace is made of. */
export interface AttemptWorkspaceParts {
  readonly sync: SyncWorker;
  readonly site: AttemptSite;
  readonly pre: readonly Guardrail[];
  readonly post: readonly Guardrail[];
}

interface Folder {
  readonly workspaceId: number;
  readonly paths: readonly string[];
}

/** The `Workspace` port over a sync thread and a folder of this execution alone. */
export function createAttemptWorkspace({ sync, site, pre, post }: AttemptWorkspaceParts): Workspace {
  let folder: Folder | undefined;
  let digest: string | undefined;
  return {
    async syncIn({ repository, commitId, prefix }) {
      await prepared(site);
      const job = { repository, commitId, prefix, folder: site.folder, withPaths: pre.length > 0 };
      const { workspaceId, fileCount, paths } = await asSyncAttempt(sync.syncIn(job));
      folder = { workspaceId, paths };
      return { path: site.folder, fileCount };
    },
    checkPre: () => Promise.resolve(violations(pre, known(folder).paths)),
    async project() {
      const { workspaceId } = known(folder);
      const projected = await asSyncAttempt(sync.project({ workspaceId, withPaths: post.length > 0 }));
      digest = projected.digest;
      const { noop: unchanged, fileCount, uploadCount, deleteCount, paths } = projected;
      // Rule T3: what is judged here is what `stage` takes, by its digest.
      return { unchanged, fileCount, uploadCount, deleteCount, violations: violations(post, paths) };
    },
    async equalsCommit(commitId) {
      const { workspaceId } = known(folder);
      return (await asSyncAttempt(sync.compare({ workspaceId, commitId }))).equal;
    },
    async stage({ branch, base }) {
      const { workspaceId } = known(folder);
      const job = { workspaceId, digest: known(digest), branch, baseCommitId: base };
      const { uploadedCount, deletedCount } = await asSyncAttempt(sync.stage(job));
      return { uploadCount: uploadedCount, deleteCount: deletedCount };
    },
    async verifyStaging({ stagingCommit }) {
      const { workspaceId } = known(folder);
      await asSyncAttempt(sync.verifyStaging({ workspaceId, stagingCommitId: stagingCommit }));
    },
    async remove() {
      if (folder !== undefined) await sync.release({ workspaceId: folder.workspaceId, folderGoes: true });
      folder = undefined;
      await site.remove();
    },
  };
}

/** A full or closed disk is met here first (case T08). */
async function prepared(site: AttemptSite): Promise<void> {
  try {
    await site.prepare();
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    const message = `the workspace root cannot take the attempt's folder: ${why}`;
    const hint = "free space on the disk of PERAGO_WORKSPACE_ROOT, or check its owner and permissions";
    throw new AttemptError({ code: "workspace_unstageable", message, hint }, { cause: error });
  }
}

function violations(guardrails: readonly Guardrail[], paths: readonly string[]): readonly string[] {
  return evaluateGuardrails(guardrails, paths).map(({ message }) => message);
}

/** A phase asks only for what an earlier one brought; else the order itself is broken. */
function known<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the workspace was asked before it was brought in");
  return value;
}
