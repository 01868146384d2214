import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { schemaFindings } from "./schema.ts";
import type { LakefsTarget } from "./target.ts";

/** An answer that is as the server's description says. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON; undefined where the body is none. */
  readonly json: unknown;
  /** The error's message; empty where there is none. */
  readonly message: string;
}

/** One request. */
export interface Call {
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** Another Authorization header; null sends none. */
  readonly authorization?: string | null;
}

const NAME_BYTES = 6;

/** Plain requests to a server under test. Each answer is held against the server's description. */
export class Client {
  readonly #target: LakefsTarget;

  constructor(target: LakefsTarget) {
    this.#target = target;
  }

  /** The server's root, for what is not below `/api/v1`. */
  get url(): string {
    return this.#target.url;
  }

  async call(method: string, path: string, call: Call = {}): Promise<Answer> {
    const { accessKeyId, secretAccessKey, url } = this.#target;
    const basic = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`;
    const authorization = call.authorization === undefined ? basic : call.authorization;
    const query = call.query === undefined ? "" : `?${new URLSearchParams(call.query).toString()}`;
    const body = call.json === undefined ? call.body : JSON.stringify(call.json);
    const response = await fetch(`${url}/api/v1${path}${query}`, {
      method,
      headers: {
        ...(authorization === null ? {} : { authorization }),
        ...(call.json === undefined ? {} : { "content-type": "application/json" }),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const answer = await read(response);
    expect(schemaFindings(method, path, answer.status, answer.json)).toEqual([]);
    return answer;
  }

  /** Makes a repository of its own; its name. */
  async repository(extra: object = {}): Promise<string> {
    const name = `contract-${randomBytes(NAME_BYTES).toString("hex")}`;
    const json = { name, storage_namespace: `local://perago-contract/${name}`, ...extra };
    expect(await this.call("POST", "/repositories", { json })).toMatchObject({ status: 201 });
    return name;
  }

  async branch(repository: string, name: string, source = "main"): Promise<string> {
    const json = { name, source };
    const answer = await this.call("POST", `/repositories/${repository}/branches`, { json });
    expect(answer).toMatchObject({ status: 201 });
    return answer.text;
  }

  async put(repository: string, branch: string, path: string, body: string, type = "text/plain"): Promise<Answer> {
    const answer = await this.call("POST", `/repositories/${repository}/branches/${branch}/objects`, {
      query: { path },
      body,
      headers: { "content-type": type },
    });
    expect(answer).toMatchObject({ status: 201 });
    return answer;
  }

  async commit(repository: string, branch: string, extra: object = {}): Promise<string> {
    const json = { message: `commit on ${branch}`, ...extra };
    const answer = await this.call("POST", `/repositories/${repository}/branches/${branch}/commits`, { json });
    expect(answer).toMatchObject({ status: 201 });
    return stringAt(answer.json, "id");
  }

  async merge(repository: string, source: string, destination: string, json: object = {}): Promise<Answer> {
    return this.call("POST", `/repositories/${repository}/refs/${source}/merge/${destination}`, { json });
  }

  async head(repository: string, branch: string): Promise<string> {
    const answer = await this.call("GET", `/repositories/${repository}/branches/${branch}`);
    return stringAt(answer.json, "commit_id");
  }

  async getCommit(repository: string, ref: string): Promise<Record<string, unknown>> {
    const answer = await this.call("GET", `/repositories/${repository}/commits/${encodeURIComponent(ref)}`);
    expect(answer).toMatchObject({ status: 200 });
    return fields(answer.json);
  }

  /** The bytes of an object, or the status where there are none. */
  async read(repository: string, ref: string, path: string): Promise<string | number> {
    const answer = await this.call("GET", `/repositories/${repository}/refs/${ref}/objects`, { query: { path } });
    return answer.status === 200 ? answer.text : answer.status;
  }

  /** The paths that a ref shows. */
  async paths(repository: string, ref: string): Promise<string[]> {
    const query = { amount: "1000" };
    const answer = await this.call("GET", `/repositories/${repository}/refs/${ref}/objects/ls`, { query });
    return results(answer).map((one) => stringAt(one, "path"));
  }
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true && text !== "";
  const json: unknown = isJson ? JSON.parse(text) : undefined;
  const message = fields(json)["message"];
  return {
    status: response.status,
    headers: response.headers,
    text,
    json,
    message: typeof message === "string" ? message : "",
  };
}

/** The fields of a JSON object; none where it is not one. */
export function fields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** A field that is a text. */
export function stringAt(value: unknown, name: string): string {
  const found = fields(value)[name];
  if (typeof found !== "string") throw new Error(`${name} is no text in ${JSON.stringify(value)}`);
  return found;
}

/** The results of a page. */
export function results(answer: Answer): unknown[] {
  const found = fields(answer.json)["results"];
  if (!Array.isArray(found)) throw new Error(`no page: ${answer.status} ${answer.text}`);
  return found;
}

/** The pagination of a page. */
export function pagination(answer: Answer): Record<string, unknown> {
  return fields(fields(answer.json)["pagination"]);
}
