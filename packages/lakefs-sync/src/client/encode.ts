/** Query values of a call; `undefined` leaves the name out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Builds the path and query of a request. The only place where anything is encoded, and it is encoded once
 * (cases N09, N10, N11): keys are opaque, `%41`, `a+b` and blanks survive as they are.
 */
export function encodeTarget(basePath: string, segments: readonly string[], query: Query = {}): string {
  const path = segments.map((segment) => encodeURIComponent(segment)).join("/");
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  }
  return `${basePath}/${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`;
}
