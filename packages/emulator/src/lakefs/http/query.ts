import type { Context as HonoContext } from "hono";
import { badRequest } from "../errors.ts";
import type { ListQuery, Page } from "../pages.ts";

/** Results that a page holds where the request does not say, and at most. */
const DEFAULT_AMOUNT = 100;
const MAX_AMOUNT = 1_000;

/** A text parameter; empty where it is left out. */
export function text(http: HonoContext, name: string): string {
  return http.req.query(name) ?? "";
}

/** The object's path, which must be there and not empty. */
export function path(http: HonoContext): string {
  const value = http.req.query("path");
  if (value === undefined) throw badRequest('parameter "path" in query has an error: value is required but missing');
  if (value === "") throw badRequest('parameter "path" in query has an error: empty value is not allowed');
  return value;
}

const trueWords: ReadonlySet<string> = new Set(["true", "True", "TRUE", "t", "T", "1"]);
const falseWords: ReadonlySet<string> = new Set(["false", "False", "FALSE", "f", "F", "0"]);

/** A boolean parameter, in the words that the real server takes (Python's SDK says `True`). */
export function flag(http: HonoContext, name: string, otherwise = false): boolean {
  const value = http.req.query(name);
  if (value === undefined) return otherwise;
  if (trueWords.has(value)) return true;
  if (falseWords.has(value)) return false;
  throw badRequest(`parameter "${name}" in query has an error: value ${value}: an invalid boolean`);
}

/** How many results a page may hold: 1 to 1000, 100 where the request does not say. */
export function amount(http: HonoContext): number {
  const value = http.req.query("amount");
  if (value === undefined) return DEFAULT_AMOUNT;
  if (!/^[-+]?\d+$/.test(value)) {
    throw badRequest(`parameter "amount" in query has an error: value ${value}: an invalid integer: invalid syntax`);
  }
  const number = Number(value);
  if (number < -1) throw badRequest('parameter "amount" in query has an error: number must be at least -1');
  if (number > MAX_AMOUNT) {
    throw badRequest(`parameter "amount" in query has an error: number must be at most ${MAX_AMOUNT}`);
  }
  return number <= 0 ? DEFAULT_AMOUNT : number;
}

/** What a list of paths asks for. */
export function listQuery(http: HonoContext): ListQuery {
  return {
    prefix: text(http, "prefix"),
    after: text(http, "after"),
    delimiter: text(http, "delimiter"),
    amount: amount(http),
  };
}

/** The body of a page of results. `offsetOf` names the result behind which the next page starts. */
export function pageBody<T>(page: Page<T>, show: (item: T) => object, offsetOf: (item: T) => string): object {
  const last = page.results.at(-1);
  return {
    pagination: {
      has_more: page.hasMore,
      max_per_page: MAX_AMOUNT,
      next_offset: page.hasMore && last !== undefined ? offsetOf(last) : "",
      results: page.results.length,
    },
    results: page.results.map(show),
  };
}
