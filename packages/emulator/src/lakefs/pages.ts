import { afterPrefix, compareKeys } from "./keys.ts";

/** What a list asks for. */
export interface ListQuery {
  readonly prefix: string;
  readonly after: string;
  /** Empty: none. */
  readonly delimiter: string;
  /** At most this many results. */
  readonly amount: number;
}

/** One line of a list: an item, or what several have in common up to the delimiter. */
export type Listed<T> = { readonly item: T; readonly path: string } | { readonly commonPrefix: string };

/** A page, and whether there is more. */
export interface Page<T> {
  readonly results: readonly T[];
  readonly hasMore: boolean;
}

/** The first `amount` of some results; one more than that shows that there is more. */
export function cutPage<T>(results: readonly T[], amount: number): Page<T> {
  return { results: results.slice(0, amount), hasMore: results.length > amount };
}

/**
 * One page of a list in the order of paths.
 * @param open Items at or after a path, in order. It is opened again behind each common prefix.
 */
export function listPaths<T extends { readonly path: string }>(
  open: (from: string) => Iterable<T>,
  query: ListQuery,
): Page<Listed<T>> {
  const found: Listed<T>[] = [];
  let from: string | undefined = compareKeys(query.after, query.prefix) > 0 ? query.after : query.prefix;
  // Bounded: each round ends behind a common prefix that is new to the page, or for good.
  while (from !== undefined && found.length <= query.amount) from = collect(open(from), query, found);
  return cutPage(found, query.amount);
}

/** Adds what comes next; where to go on behind a common prefix. */
function collect<T extends { readonly path: string }>(
  items: Iterable<T>,
  query: ListQuery,
  found: Listed<T>[],
): string | undefined {
  for (const item of items) {
    if (!item.path.startsWith(query.prefix)) return undefined;
    if (item.path === query.after) continue;
    const commonPrefix = commonPrefixOf(item.path, query);
    if (commonPrefix === undefined) found.push({ item, path: item.path });
    else {
      if (commonPrefix !== query.after) found.push({ commonPrefix });
      return afterPrefix(commonPrefix);
    }
    if (found.length > query.amount) return undefined;
  }
  return undefined;
}

function commonPrefixOf(path: string, query: ListQuery): string | undefined {
  if (query.delimiter === "") return undefined;
  const at = path.indexOf(query.delimiter, query.prefix.length);
  return at < 0 ? undefined : path.slice(0, at + query.delimiter.length);
}

/** The offset behind a listed line. */
export function listedPath<T>(line: Listed<T>): string {
  return "commonPrefix" in line ? line.commonPrefix : line.path;
}
