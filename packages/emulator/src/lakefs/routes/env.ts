import type { Context as HonoContext, Hono } from "hono";
import type { User } from "../auth.ts";

/** What a request carries behind authentication. */
export interface Env {
  Variables: { user: User };
}

/** The part's Hono application. */
export type Routes = Hono<Env>;

/** One request. */
export type Request = HonoContext<Env>;

/** A parameter of the path, decoded. */
export function pathParam(http: Request, name: string): string {
  const value = http.req.param(name);
  if (value === undefined) throw new Error(`the route has no parameter ${name}`);
  return value;
}
