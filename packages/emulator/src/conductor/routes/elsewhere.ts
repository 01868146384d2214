import type { Hono } from "hono";
import { notHere } from "../errors.ts";
import { jsonAnswer } from "./answers.ts";

/** Operations of the real server that are not here; requests for them are refused by name (501). */
const ELSEWHERE: readonly RegExp[] = [
  new RegExp(
    "^/api/(admin|agent|context|environment|event|files?|integrations|prompts|queue|scheduler|schema|secrets|webhook)" +
      "(/|$)",
  ),
  /^\/api\/metadata\/workflow\/(names|names-and-versions|latest-versions)$/,
  /^\/api\/metadata\/workflow\/[^/]+\/versions$/,
  /^\/api\/tasks\/(search|search-v2|externalstoragelocation|external-storage-location)$/,
  /^\/api\/tasks\/queue\/(requeue|all\/verbose|polldata\/all)(\/|$)/,
  /^\/api\/tasks\/[^/]+\/[^/]+\/[^/]+\/sync$/,
  /^\/api\/tasks\/[^/]+\/[^/]+\/signal(\/sync)?$/,
  /^\/api\/workflow\/(bulk|execute|test|search|search-v2|search-by-tasks|search-by-tasks-v2)(\/|$)/,
  /^\/api\/workflow\/(externalstoragelocation|external-storage-location)$/,
  /^\/api\/workflow\/[^/]+\/(correlated|resetcallbacks|skiptask|tasks|variables|jump|state|upgrade)(\/|$)/,
];

/** Puts the refusals before the routes that are here, so that no pattern of those takes them. */
export function refuseElsewhere(app: Hono): void {
  app.use(async (c, next) => {
    if (ELSEWHERE.some((pattern) => pattern.test(c.req.path))) throw notHere(`operation ${c.req.method} ${c.req.path}`);
    await next();
  });
}

/** What neither server has: 404, or 405 where only the method is wrong. */
export function answerUnknown(app: Hono, methods: (path: string) => readonly string[]): void {
  app.notFound((c) => {
    const { path, method } = c.req;
    const isKnown = methods(path).length > 0;
    const status = isKnown ? 405 : 404;
    const message = isKnown
      ? `Request method '${method}' is not supported`
      : `No static resource ${path.replace(/^\//, "")}.`;
    return jsonAnswer({ status, message, instance: "emulator", retryable: false }, status);
  });
}
