import { newFileAttributes, type ObjectAttributes } from "../client/upload-shape.ts";
import type { ListedObject, ObjectTable } from "../listing/object-table.ts";

/** A file of the folder, as the projection sees it. */
export interface ProjectedFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  /** MD5 of the bytes, lower-case hex; undefined where it is known to be another than the input's, and no more yet. */
  readonly hash: string | undefined;
}

/** A file to be uploaded. */
export interface PlannedUpload extends ProjectedFile {
  readonly key: string;
  readonly attributes: ObjectAttributes;
  /** The object it replaces, if any. */
  readonly replaces: ListedObject | undefined;
}

/** What turns the base into the folder (rule T4). */
export interface ChangePlan {
  readonly uploads: readonly PlannedUpload[];
  /** Objects to be deleted. */
  readonly deletes: readonly ListedObject[];
  readonly unchangedCount: number;
}

/** What a plan is made from. */
export interface PlanInput {
  readonly base: ObjectTable;
  readonly folder: Iterable<ProjectedFile>;
  /** Record and key of a path that the base lacks but the input had (rule T12). */
  readonly known?: (path: string) => { readonly key: string; readonly attributes: ObjectAttributes } | undefined;
}

/**
 * Two listings in, uploads and deletes out: applying the plan to the base gives exactly the folder (rules T4, T5, T12).
 * Unchanged means equal size and equal content hash, never times. Pure.
 */
export function planChanges(input: PlanInput): ChangePlan {
  const { base } = input;
  const isKept = new Uint8Array(base.count);
  const uploads: PlannedUpload[] = [];
  let unchangedCount = 0;
  for (const { path, sizeBytes, hash } of input.folder) {
    const row = base.find(path);
    if (row !== undefined) {
      isKept[row] = 1;
      if (hash !== undefined && base.sizeBytes(row) === sizeBytes && base.hash(row) === hash) {
        unchangedCount += 1;
        continue;
      }
    }
    const replaces = row === undefined ? undefined : base.entry(row);
    const known = replaces === undefined ? input.known?.(path) : undefined;
    const key = replaces?.key ?? known?.key ?? base.prefix + path;
    const { contentType, metadata } = replaces ?? known?.attributes ?? newFileAttributes;
    uploads.push({ path, sizeBytes, hash, key, attributes: { contentType, metadata }, replaces });
  }
  const deletes: ListedObject[] = [];
  for (let row = 0; row < base.count; row += 1) if (isKept[row] === 0) deletes.push(base.entry(row));
  return { uploads, deletes, unchangedCount };
}

/** Whether a plan changes nothing. */
export function isEmptyPlan(plan: ChangePlan): boolean {
  return plan.uploads.length === 0 && plan.deletes.length === 0;
}
