import { assert } from "./assert.ts";

const HEAD = "perago-stg-";
const TASK_ID_MAX_LENGTH = 100;
const NAME_MAX_LENGTH = 250;
const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;
const FORM = /^perago-stg-[0-9a-f]{16}-[-\w]+-\d+-[-\w]+$/;

/** What a staging branch is named after (rule T1). */
export interface StagingBranchParts {
  readonly logicalTaskKey: string;
  readonly taskId: string;
  readonly retryCount: number;
  /**
   * Unique for every execution, letters, digits, `_` and `-`, at most 64: it makes the branch one that is never used
   * again.
   */
  readonly executionId: string;
}

/**
 * What the names of all staging branches of one logical task begin with, so that one listing finds them (rules T1 and
 * R2).
 *
 * The hash is FNV-1a, 64 bits, over the key's UTF-8 bytes. Two keys with one hash would do no harm: the fences compare
 * the whole key, and a listing that also shows another task's branch makes R2 publish an unchanged projection, which is
 * the safe side.
 */
export function stagingBranchPrefix(logicalTaskKey: string): string {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(logicalTaskKey))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return `${HEAD}${hash.toString(16).padStart(16, "0")}-`;
}

/**
 * The staging branch of one execution, `perago-stg-{hash}-{taskId}-{retryCount}-{executionId}` (rule T1). Letters of
 * the task id that lakeFS does not take in a branch name become `_`, and the id is cut at 100: the execution id alone
 * makes the name unique.
 */
export function stagingBranchName(parts: StagingBranchParts): string {
  assert(Number.isSafeInteger(parts.retryCount) && parts.retryCount >= 0, "not a whole number >= 0: retryCount");
  assert(/^[-\w]{1,64}$/.test(parts.executionId), "not 1 to 64 of A-Z a-z 0-9 _ -: executionId");
  const taskId = parts.taskId.slice(0, TASK_ID_MAX_LENGTH).replace(/[^-\w]/g, "_") || "_";
  return `${stagingBranchPrefix(parts.logicalTaskKey)}${taskId}-${parts.retryCount}-${parts.executionId}`;
}

/** Whether a branch name has the form of Perago's staging branches (rule T1). */
export function isStagingBranchName(name: string): boolean {
  return name.length <= NAME_MAX_LENGTH && FORM.test(name);
}
