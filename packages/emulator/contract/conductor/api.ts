import { expect } from "vitest";
import { Shapes } from "./json-shapes.ts";

/** What a suite talks to. */
export interface ConductorUnderTest {
  /** Ends in `/api`. */
  readonly url: string;
  close(): Promise<void>;
}

/** An answer, its body parsed where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  readonly body: Value;
  readonly tookMs: number;
}

/** Any JSON value, to walk through. */
export class Value {
  readonly raw: unknown;

  constructor(raw: unknown) {
    this.raw = raw;
  }

  /** A field, or an element of a list (negative from its end). */
  at(...path: (string | number)[]): Value {
    return path.reduce<Value>((value, key) => new Value(member(value.raw, key)), this);
  }

  /** The elements of a list. */
  list(): Value[] {
    return Array.isArray(this.raw) ? this.raw.map((one) => new Value(one)) : [];
  }

  /** As text. */
  text(): string {
    if (typeof this.raw !== "string") throw new TypeError(`not a text: ${JSON.stringify(this.raw)}`);
    return this.raw;
  }

  /** As a number. */
  number(): number {
    if (typeof this.raw !== "number") throw new TypeError(`not a number: ${JSON.stringify(this.raw)}`);
    return this.raw;
  }
}

function member(raw: unknown, key: string | number): unknown {
  if (Array.isArray(raw)) return typeof key === "number" ? raw.at(key) : undefined;
  if (typeof raw !== "object" || raw === null) return undefined;
  return new Map<string, unknown>(Object.entries(raw)).get(String(key));
}

const shapes = new Shapes(new URL("./openapi-3.32.1.json", import.meta.url));

/**
 * Plain requests; every good answer is held against the real server's own OpenAPI, every bad one against its form of
 * errors.
 */
export class Api {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** `path` is below `/api`; a body that is no text is sent as JSON. */
  async send(method: string, path: string, body?: unknown, contentType = "application/json"): Promise<Answer> {
    const startedMs = performance.now();
    const response = await fetch(`${this.#url}${path}`, {
      method,
      ...(body === undefined ? {} : { headers: { "content-type": contentType } }),
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = {
      status: response.status,
      contentType: response.headers.get("content-type") ?? "",
      text,
      body: new Value(parse(text)),
      tookMs: performance.now() - startedMs,
    };
    checkShape(method, new URL(`${this.#url}${path}`).pathname, answer);
    return answer;
  }

  get(path: string): Promise<Answer> {
    return this.send("GET", path);
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.send("POST", path, body);
  }

  put(path: string, body?: unknown): Promise<Answer> {
    return this.send("PUT", path, body);
  }

  delete(path: string): Promise<Answer> {
    return this.send("DELETE", path);
  }

  /** A path beside `/api`. */
  async root(path: string): Promise<Answer> {
    return await new Api(this.#url.replace(/\/api$/, "")).get(path);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function checkShape(method: string, path: string, answer: Answer): void {
  const what = `${method} ${path} ${answer.status}`;
  if (answer.status >= 400) {
    expect(answer.body.raw, what).toMatchObject({
      status: answer.status,
      message: expect.any(String),
      retryable: false,
    });
    return;
  }
  const documented = shapes.documented(method, path);
  if (documented?.check === undefined || answer.text === "") return;
  if (answer.contentType.startsWith("text/plain")) return;
  documented.check(answer.body.raw);
  expect(documented.check.errors ?? [], what).toEqual([]);
}
