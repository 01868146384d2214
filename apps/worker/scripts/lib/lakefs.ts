import { z } from "zod";

import type { LakefsSettings } from "./settings.ts";

const REQUEST_TIMEOUT_MS = 30_000;

const commitId = z.object({ id: z.string() });
const branch = z.object({ commit_id: z.string() });
const merged = z.object({ reference: z.string() });
const changes = z.object({ results: z.array(z.unknown()) });
const config = z.object({ storage_config: z.object({ blockstore_type: z.string() }) });
const protection = z.array(z.looseObject({ pattern: z.string() }));

/** An answer of lakeFS that is not a success. */
export class LakefsError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "LakefsError";
    this.status = status;
  }
}

/** The few lakeFS calls that setting up a repository takes. Operation names are those of lakeFS' API. */
export interface Lakefs {
  /** Kind of storage, e.g. `local` or `s3`. */
  readonly blockstoreType: () => Promise<string>;
  /** Makes the repository with `branch` as its default; false where it is there already. */
  readonly createRepository: (repository: string, namespace: string, branch: string) => Promise<boolean>;
  /** Head of a branch. */
  readonly getBranch: (repository: string, branch: string) => Promise<string>;
  readonly createBranch: (repository: string, branch: string, source: string) => Promise<void>;
  readonly deleteBranch: (repository: string, branch: string) => Promise<void>;
  readonly uploadObject: (repository: string, branch: string, path: string, bytes: Buffer) => Promise<void>;
  /** Whether a branch has uncommitted changes. */
  readonly hasChanges: (repository: string, branch: string) => Promise<boolean>;
  readonly commit: (repository: string, branch: string, message: string) => Promise<string>;
  /** Merges a commit into a branch; returns the merge commit. */
  readonly merge: (repository: string, source: string, branch: string, message: string) => Promise<string>;
  /** Protects a branch beside those that are protected already. */
  readonly protectBranch: (repository: string, branch: string) => Promise<void>;
}

/** A client for the server of these settings. Nothing is retried; every request ends within 30 s. */
export function connectLakefs(settings: LakefsSettings): Lakefs {
  const call = createCaller(settings);
  return {
    async blockstoreType() {
      return config.parse(await call("GET", "/config")).storage_config.blockstore_type;
    },
    async createRepository(repository, namespace, defaultBranch) {
      try {
        await call("POST", "/repositories", {
          json: { name: repository, storage_namespace: namespace, default_branch: defaultBranch },
        });
        return true;
      } catch (error) {
        if (error instanceof LakefsError && error.status === 409) return false;
        throw error;
      }
    },
    async getBranch(repository, name) {
      return branch.parse(await call("GET", `${at(repository)}/branches/${part(name)}`)).commit_id;
    },
    async createBranch(repository, name, source) {
      await call("POST", `${at(repository)}/branches`, { json: { name, source, hidden: true } });
    },
    async deleteBranch(repository, name) {
      await call("DELETE", `${at(repository)}/branches/${part(name)}`);
    },
    async uploadObject(repository, name, path, bytes) {
      await call("POST", `${at(repository)}/branches/${part(name)}/objects?path=${part(path)}`, { bytes });
    },
    async hasChanges(repository, name) {
      const answer = await call("GET", `${at(repository)}/branches/${part(name)}/diff?amount=1`);
      return changes.parse(answer).results.length > 0;
    },
    async commit(repository, name, message) {
      return commitId.parse(
        await call("POST", `${at(repository)}/branches/${part(name)}/commits`, { json: { message } }),
      ).id;
    },
    async merge(repository, source, name, message) {
      const path = `${at(repository)}/refs/${part(source)}/merge/${part(name)}`;
      return merged.parse(await call("POST", path, { json: { message, squash_merge: true } })).reference;
    },
    async protectBranch(repository, pattern) {
      const path = `${at(repository)}/settings/branch_protection`;
      const rules = protection.parse((await call("GET", path)) ?? []);
      if (rules.some((rule) => rule.pattern === pattern)) return;
      await call("PUT", path, { json: [...rules, { pattern }] });
    },
  };
}

interface Body {
  readonly json?: unknown;
  readonly bytes?: Buffer;
}

type Call = (method: string, path: string, body?: Body) => Promise<unknown>;

function createCaller(settings: LakefsSettings): Call {
  const key = Buffer.from(`${settings.accessKeyId}:${settings.secretAccessKey}`).toString("base64");
  return async (method, path, body = {}) => {
    const response = await fetch(`${settings.endpoint}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Basic ${key}`,
        ...(body.bytes === undefined ? {} : { "content-type": "application/octet-stream" }),
        ...(body.json === undefined ? {} : { "content-type": "application/json" }),
      },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...(body.bytes === undefined ? {} : { body: new Uint8Array(body.bytes) }),
      ...(body.json === undefined ? {} : { body: JSON.stringify(body.json) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new LakefsError(response.status, `lakeFS refused ${method} ${path}: ${response.status} ${text.trim()}`);
    }
    // Creating a branch answers with a bare commit id.
    const isJson = response.headers.get("content-type")?.includes("json") === true;
    return isJson && text !== "" ? JSON.parse(text) : undefined;
  };
}

function at(repository: string): string {
  return `/repositories/${part(repository)}`;
}

function part(text: string): string {
  return encodeURIComponent(text);
}
