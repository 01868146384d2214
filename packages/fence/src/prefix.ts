const SLASH = 47;

/**
 * The one normal form of a workspace prefix (rules P4 and T11, case N16): `""` and `"/"` are the root and give `""`;
 * everything else has no leading slash and exactly one trailing slash, so `data`, `/data` and `data/` are one folder
 * and `data-old/x` is never in it.
 */
export function normalisePrefix(prefix: string): string {
  let start = 0;
  let end = prefix.length;
  while (start < end && prefix.charCodeAt(start) === SLASH) start += 1;
  while (end > start && prefix.charCodeAt(end - 1) === SLASH) end -= 1;
  return start === end ? "" : `${prefix.slice(start, end)}/`;
}

/** Whether two prefixes name the same folder; both sides are normalised (rule P4). */
export function samePrefix(left: string, right: string): boolean {
  return left === right || normalisePrefix(left) === normalisePrefix(right);
}
