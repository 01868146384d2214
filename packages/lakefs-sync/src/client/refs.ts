import type { HttpClient } from "./http.ts";
import { maxPageEntryCount, walkPages } from "./pages.ts";
import { diffOf, pageOf, recordOf, textOf } from "./shapes.ts";
import type { CallOptions, Diff, MergeResult } from "./types.ts";

/** lakeFS `diffRefs` (two dots: left against right, no merge base), page by page (rule T13). */
export function diffRefs(
  http: HttpClient,
  repository: string,
  leftRef: string,
  rightRef: string,
  options: CallOptions = {},
): AsyncGenerator<readonly Diff[]> {
  const segments = ["repositories", repository, "refs", leftRef, "diff", rightRef];
  return walkPages("diffRefs", `${repository}/${leftRef}..${rightRef}`, (after) => {
    const query = { after, amount: maxPageEntryCount, type: "two_dot" };
    const spec = { operation: "diffRefs", method: "GET", segments, query, repeat: "safe" } as const;
    return http.json(spec, options, (value) => pageOf(value, diffOf));
  });
}

/** A merge to be made. */
export interface Merge {
  readonly sourceRef: string;
  readonly destinationBranch: string;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Always sent: a server version once changed its default. */
  readonly squashMerge: boolean;
  /** Make a commit although both trees are equal. Default false. */
  readonly allowEmpty?: boolean;
  readonly strategy?: "source-wins" | "dest-wins";
}

/**
 * lakeFS `mergeIntoBranch`. Sent once, on a connection of its own, and never repeated here (rule C5): look at
 * `LakefsError.outcome`.
 */
export function mergeIntoBranch(
  http: HttpClient,
  repository: string,
  merge: Merge,
  options: CallOptions = {},
): Promise<MergeResult> {
  const segments = ["repositories", repository, "refs", merge.sourceRef, "merge", merge.destinationBranch];
  const json = {
    message: merge.message,
    metadata: merge.metadata,
    squash_merge: merge.squashMerge,
    allow_empty: merge.allowEmpty ?? false,
    force: false,
    ...(merge.strategy === undefined ? {} : { strategy: merge.strategy }),
  };
  const subject = `${repository}/${merge.sourceRef} into ${merge.destinationBranch}`;
  const spec = { operation: "mergeIntoBranch", method: "POST", segments, json, subject, repeat: "never" } as const;
  return http.json(spec, options, (value) => ({ reference: textOf(recordOf(value), "reference") }));
}
