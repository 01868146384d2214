import type { Context, Hono } from "hono";
import { internal, Refusal } from "../errors.ts";
import { parseJson, type Json } from "../json.ts";

/** Longest request body, bytes; one that says that it is larger is a 413. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** A plain text, as Conductor answers ids. */
export function textAnswer(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/plain;charset=UTF-8" } });
}

/** JSON; undefined fields are left out. */
export function jsonAnswer(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: { "content-type": "application/json" } });
}

/** 200 without a body. */
export function emptyAnswer(status = 200): Response {
  return new Response(null, { status });
}

/** A refusal as Conductor's error body. What is no refusal is our own mistake: 500 with its words. */
export function refusalAnswer(error: unknown): Response {
  if (!(error instanceof Refusal)) {
    const message = error instanceof Error ? error.message : String(error);
    return jsonAnswer({ status: 500, message, instance: "emulator", retryable: false }, 500);
  }
  const { status, message, findings } = error;
  if (findings === undefined) return jsonAnswer({ status, message, instance: "emulator", retryable: false }, status);
  return jsonAnswer({ status, message, retryable: false, validationErrors: findings }, status);
}

/** The body as JSON. Throws a 500 where there is none or it is not JSON, as Conductor does. */
export async function readJson(c: Context): Promise<Json> {
  const text = await c.req.text();
  if (text.trim() === "") throw internal("Required request body is missing");
  const type = c.req.header("content-type") ?? "";
  if (!type.includes("json")) throw internal(`Content-Type '${type}' is not supported`);
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw internal(`JSON parse error: ${error.message}`);
  }
}

/** A whole number of the query. Throws a 500 where it is something else, as Conductor does. */
export function queryInt(c: Context, name: string, fallback: number): number {
  const text = c.req.query(name);
  if (text === undefined || text === "") return fallback;
  if (/^[-+]?\d{1,10}$/.test(text)) return Number(text);
  throw internal(
    `Method parameter '${name}': Failed to convert value of type 'java.lang.String' to required type 'int'; ` +
      `For input string: "${text}"`,
  );
}

/** A text of the query; empty counts as left out. */
export function queryText(c: Context, name: string): string | undefined {
  const text = c.req.query(name);
  return text === "" ? undefined : text;
}

/** A part of the path; the routes name only parts that are there. */
export function pathPart(c: Context, name: string): string {
  return c.req.param(name) ?? "";
}

/** Refuses bodies that say that they are larger than what is read. */
export function refuseLargeBodies(app: Hono): void {
  app.use(async (c, next) => {
    if (Number(c.req.header("content-length") ?? 0) <= MAX_BODY_BYTES) return await next();
    const message = `the emulator reads bodies of up to ${MAX_BODY_BYTES} bytes`;
    return jsonAnswer({ status: 413, message, instance: "emulator", retryable: false }, 413);
  });
}
