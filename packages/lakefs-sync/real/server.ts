import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { LakefsClient } from "../src/client/client.ts";
import type { LakefsConnection } from "../src/client/http.ts";
import { collectBytes } from "../src/client/receiver.ts";
import type { StagedChanges } from "../src/transfer/messages.ts";
import { SyncWorker } from "../src/transfer/sync-worker.ts";

function setting(name: string): string {
  const value = process.env[name] ?? "";
  if (value === "")
    throw new Error(`${name} is not set: these tests need the real lakeFS (pnpm stack up, pnpm stack env)`);
  return value;
}

/** The real lakeFS under test; fails, never skips, where it is not named. */
export function realConnection(): LakefsConnection {
  return {
    endpoint: setting("LAKECTL_SERVER_ENDPOINT_URL"),
    accessKeyId: setting("LAKECTL_CREDENTIALS_ACCESS_KEY_ID"),
    secretAccessKey: setting("LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY"),
  };
}

/** One repository, client, sync worker and temporary folder for a test file; all removed after it. */
export async function realBench(): Promise<{
  readonly client: LakefsClient;
  readonly sync: SyncWorker;
  readonly repository: string;
  readonly folder: (name: string) => string;
  readonly put: (path: string, content: string | Buffer, branch?: string) => Promise<void>;
  readonly commitMain: (message: string) => Promise<string>;
  /** Projects, stages on a fresh branch of the given base, commits and verifies. */
  readonly stageAll: (
    workspaceId: number,
    baseCommitId: string,
  ) => Promise<StagedChanges & { readonly commitId: string }>;
  /** All objects below a prefix as text, by key. */
  readonly objectsOf: (ref: string, prefix: string) => Promise<Record<string, string>>;
}> {
  const connection = realConnection();
  const client = new LakefsClient(connection);
  const sync = new SyncWorker({ connection });
  const repository = `sync-${randomBytes(6).toString("hex")}`;
  const root = mkdtempSync(join(tmpdir(), "lakefs-sync-"));
  const { blockstoreType } = await client.getConfig();
  await client.createRepository({ name: repository, storageNamespace: `${blockstoreType}://${repository}` });
  afterAll(async () => {
    await sync.close();
    await client.deleteRepository(repository);
    await client.close();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    client,
    sync,
    repository,
    folder: (name) => join(root, name),
    put: async (path, content, branch = "main") => {
      const bytes = Buffer.from(content);
      const attributes = { contentType: "application/octet-stream", metadata: {} };
      const source = { sizeBytes: bytes.length, open: () => bytes };
      await client.uploadObject({ repository, branch, path, source, attributes });
    },
    stageAll: async (workspaceId, baseCommitId) => {
      const { digest } = await sync.project({ workspaceId });
      const branch = `stg-${randomBytes(6).toString("hex")}`;
      await client.createBranch(repository, { name: branch, sourceCommitId: baseCommitId, hidden: true });
      const staged = await sync.stage({ workspaceId, digest, branch, baseCommitId });
      const commit = await client.commitOnce(repository, branch, { message: "staged", allowEmpty: true, baseCommitId });
      await sync.verifyStaging({ workspaceId, stagingCommitId: commit.id });
      expect(await sync.compare({ workspaceId, commitId: commit.id })).toEqual({ equal: true });
      return { ...staged, commitId: commit.id };
    },
    objectsOf: async (ref, prefix) => {
      const shown: Record<string, string> = {};
      for await (const page of client.listObjects(repository, ref, prefix)) {
        for (const { path } of page) {
          const bytes = await client.getObject({ repository, ref, path }, {}, collectBytes(64 * 1024 * 1024));
          shown[path] = bytes.toString();
        }
      }
      return shown;
    },
    commitMain: async (message) => (await client.commit(repository, "main", { message })).id,
  };
}
