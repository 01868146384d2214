import { newFileAttributes, type ObjectAttributes } from "../client/upload-shape.ts";
import { exactDisk, pathIdentity, type DiskTraits } from "../keys/disk-traits.ts";

/** A file of the folder, as the projection sees it. */
export interface ProjectedFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  /** MD5 of the bytes, lower-case hex. */
  readonly hash: string;
}

/** An object of the commit that the folder is compared with. */
export interface BaseEntry extends ObjectAttributes {
  readonly path: string;
  readonly key: string;
  readonly sizeBytes: number;
  readonly checksum: string;
  /** MD5 of its bytes where it is known; else it counts as different. */
  readonly hash: string | undefined;
}

/** A file to be uploaded. */
export interface PlannedUpload extends ProjectedFile {
  readonly key: string;
  readonly attributes: ObjectAttributes;
  /** The object it replaces, if any. */
  readonly replaces: BaseEntry | undefined;
}

/** What turns the base into the folder (rule T4). */
export interface ChangePlan {
  readonly uploads: readonly PlannedUpload[];
  /** Objects to be deleted. */
  readonly deletes: readonly BaseEntry[];
  readonly unchangedCount: number;
}

/** What a plan is made from. */
export interface PlanInput {
  /** Normalised prefix; new files get `prefix + path` as their key. */
  readonly prefix: string;
  readonly base: readonly BaseEntry[];
  readonly folder: readonly ProjectedFile[];
  /** Record and key of a path that the base lacks but the input had (rule T12). */
  readonly known?: (path: string) => { readonly key: string; readonly attributes: ObjectAttributes } | undefined;
  readonly disk?: DiskTraits;
}

/**
 * Two listings in, uploads and deletes out: applying the plan to the base gives exactly the folder (rules T4, T5, T12).
 * Unchanged means equal size and equal content hash, never times. Pure.
 */
export function planChanges(input: PlanInput): ChangePlan {
  const disk = input.disk ?? exactDisk;
  const rest = new Map(input.base.map((entry) => [pathIdentity(entry.path, disk), entry]));
  const uploads: PlannedUpload[] = [];
  let unchangedCount = 0;
  for (const file of input.folder) {
    const identity = pathIdentity(file.path, disk);
    const replaces = rest.get(identity);
    rest.delete(identity);
    if (replaces !== undefined && replaces.sizeBytes === file.sizeBytes && replaces.hash === file.hash) {
      unchangedCount += 1;
      continue;
    }
    const known = replaces === undefined ? input.known?.(file.path) : undefined;
    const key = replaces?.key ?? known?.key ?? input.prefix + file.path;
    const attributes = replaces ?? known?.attributes ?? newFileAttributes;
    const { path, sizeBytes, hash } = file;
    const { contentType, metadata } = attributes;
    uploads.push({ path, sizeBytes, hash, key, attributes: { contentType, metadata }, replaces });
  }
  return { uploads, deletes: [...rest.values()], unchangedCount };
}

/** Whether a plan changes nothing. */
export function isEmptyPlan(plan: ChangePlan): boolean {
  return plan.uploads.length === 0 && plan.deletes.length === 0;
}
