import { badResponse } from "./failure.ts";
import type { Page } from "./types.ts";

/** lakeFS caps every list at this many entries a page (case B12). */
export const maxPageEntryCount = 1000;
/** Pages of one walk at most: ten million entries. */
export const maxPageCount = 10_000;

/** How a walk asks for pages. */
export interface WalkOptions {
  /** Ask for the next page while the caller is busy with this one; for lists that are walked to their end. */
  readonly ahead?: boolean;
}

/**
 * Walks all pages of a list, in order (case B12). A page that says there is more without moving on, and a list longer
 * than {@link maxPageCount} pages, are errors, not endless loops.
 */
export async function* walkPages<T>(
  operation: string,
  subject: string,
  fetchPage: (after: string) => Promise<Page<T>>,
  options: WalkOptions = {},
): AsyncGenerator<readonly T[]> {
  let after = "";
  let fetched = fetchPage(after);
  for (let pageNumber = 1; pageNumber <= maxPageCount; pageNumber += 1) {
    const page = await fetched;
    if (page.hasMore && (page.nextOffset === "" || page.nextOffset === after)) {
      throw badResponse(operation, subject, "a page says that there is more and names no next one");
    }
    after = page.nextOffset;
    const next = page.hasMore && options.ahead === true ? fetchPage(after) : undefined;
    // Its failure is met when its turn comes, or by nobody where the caller has left.
    next?.catch(() => undefined);
    yield page.results;
    if (!page.hasMore) return;
    fetched = next ?? fetchPage(after);
  }
  throw badResponse(operation, subject, `more than ${maxPageCount} pages`);
}

/** All entries of a walk in one array; refuses above `maxEntryCount`. */
export async function collectPages<T>(
  pages: AsyncIterable<readonly T[]>,
  limit: { readonly operation: string; readonly subject: string; readonly maxEntryCount: number },
): Promise<T[]> {
  const all: T[] = [];
  for await (const entries of pages) {
    for (const entry of entries) all.push(entry);
    if (all.length > limit.maxEntryCount) {
      throw badResponse(limit.operation, limit.subject, `more than ${limit.maxEntryCount} entries`);
    }
  }
  return all;
}
