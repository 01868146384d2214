import { inspect } from "node:util";
import * as branches from "./branches.ts";
import { commitOnce, type OwnCommitCreation } from "./commit-once.ts";
import * as commits from "./commits.ts";
import { HttpClient, type HttpParts, type LakefsConnection } from "./http.ts";
import * as objects from "./objects.ts";
import type { ReceiverSource } from "./receiver.ts";
import * as refs from "./refs.ts";
import * as repositories from "./repositories.ts";
import * as staging from "./staging.ts";
import { storageAbilities } from "./storage-abilities.ts";
import { StorageHttp } from "./storage-http.ts";
import type {
  BranchProtectionRule,
  CallOptions,
  Commit,
  Diff,
  MergeResult,
  ObjectError,
  ObjectStats,
  Ref,
  Repository,
  ServerConfig,
  StorageAbilities,
} from "./types.ts";

/**
 * A typed lakeFS client with lakeFS' own operation names, so that an official one can take its place. Every failure is
 * a `LakefsError`. Reads, object uploads and deletes are repeated where the failure may pass; merge and commit never
 * are.
 */
export class LakefsClient {
  readonly #http: HttpClient;
  readonly #abilities = new Map<string, Promise<StorageAbilities>>();
  /** The storage behind lakeFS, by presigned addresses. */
  readonly storage: StorageHttp;

  constructor(connection: LakefsConnection, parts: HttpParts = {}) {
    this.#http = new HttpClient(connection, parts);
    this.storage = new StorageHttp(connection, parts);
  }

  /** Ends the open connections; calls after it fail. */
  async close(): Promise<void> {
    await Promise.all([this.#http.close(), this.storage.close()]);
  }
  /** lakeFS `healthCheck`. */
  healthCheck(options?: CallOptions): Promise<void> {
    return repositories.healthCheck(this.#http, options);
  }
  /** The server's own time, milliseconds since 1970, to the second. */
  readServerTime(options?: CallOptions): Promise<number> {
    return repositories.readServerTime(this.#http, options);
  }
  /** lakeFS `getConfig`: version and storage abilities. */
  getConfig(options?: CallOptions): Promise<ServerConfig> {
    return repositories.getConfig(this.#http, options);
  }
  /** lakeFS `getRepository`. */
  getRepository(repository: string, options?: CallOptions): Promise<Repository> {
    return repositories.getRepository(this.#http, repository, options);
  }
  /** lakeFS `createRepository`, sent once. */
  createRepository(
    creation: { name: string; storageNamespace: string; defaultBranch?: string; readOnly?: boolean },
    options?: CallOptions,
  ): Promise<Repository> {
    return repositories.createRepository(this.#http, creation, options);
  }
  /** lakeFS `deleteRepository`. */
  deleteRepository(repository: string, options?: CallOptions): Promise<void> {
    return repositories.deleteRepository(this.#http, repository, options);
  }
  /** lakeFS `getBranchProtectionRules`. */
  getBranchProtectionRules(repository: string, options?: CallOptions): Promise<BranchProtectionRule[]> {
    return repositories.getBranchProtectionRules(this.#http, repository, options);
  }
  /** lakeFS `setBranchProtectionRules`: replaces all rules; they bite some seconds later (case L12). */
  setBranchProtectionRules(
    repository: string,
    rules: readonly BranchProtectionRule[],
    options?: CallOptions,
  ): Promise<void> {
    return repositories.setBranchProtectionRules(this.#http, repository, rules, options);
  }
  /** lakeFS `getBranch`. */
  getBranch(repository: string, branch: string, options?: CallOptions): Promise<Ref> {
    return branches.getBranch(this.#http, repository, branch, options);
  }
  /** The branch as `getBranch` answers it, by lakeFS `listBranches`, which no server holds back. */
  findBranch(repository: string, branch: string, options?: CallOptions): Promise<Ref> {
    return branches.findBranch(this.#http, repository, branch, options);
  }
  /** lakeFS `listBranches`, all pages, by name prefix, hidden ones on demand. */
  listBranches(repository: string, filter?: branches.BranchFilter, options?: CallOptions): Promise<Ref[]> {
    return branches.listBranches(this.#http, repository, filter, options);
  }
  /** lakeFS `listBranches`, page by page. */
  walkBranches(
    repository: string,
    filter?: branches.BranchFilter,
    options?: CallOptions,
  ): AsyncGenerator<readonly Ref[]> {
    return branches.walkBranches(this.#http, repository, filter, options);
  }
  /** lakeFS `createBranch`; a lost answer is settled by reading back (fault B9). */
  createBranch(repository: string, creation: branches.BranchCreation, options?: CallOptions): Promise<void> {
    return branches.createBranch(this.#http, repository, creation, options);
  }
  /** lakeFS `deleteBranch`; not found is success (rule X1). */
  deleteBranch(repository: string, branch: string, options?: CallOptions): Promise<void> {
    return branches.deleteBranch(this.#http, repository, branch, options);
  }
  /** lakeFS `diffBranch`: uncommitted changes, page by page. */
  diffBranch(repository: string, branch: string, options?: CallOptions): AsyncGenerator<readonly Diff[]> {
    return branches.diffBranch(this.#http, repository, branch, options);
  }
  /** lakeFS `getCommit`. */
  getCommit(repository: string, commitId: string, options?: CallOptions): Promise<Commit> {
    return commits.getCommit(this.#http, repository, commitId, options);
  }
  /** lakeFS `logCommits`, newest first, page by page. */
  logCommits(
    repository: string,
    ref: string,
    filter?: commits.LogFilter,
    options?: CallOptions,
  ): AsyncGenerator<readonly Commit[]> {
    return commits.logCommits(this.#http, repository, ref, filter, options);
  }
  /** lakeFS `commit`, sent once. */
  commit(repository: string, branch: string, creation: commits.CommitCreation, options?: CallOptions): Promise<Commit> {
    return commits.commit(this.#http, repository, branch, creation, options);
  }
  /** `commit` on a branch of one's own, where a lost answer is settled by reading back (fault B8). */
  commitOnce(repository: string, branch: string, creation: OwnCommitCreation, options?: CallOptions): Promise<Commit> {
    return commitOnce(this.#http, repository, branch, creation, options);
  }
  /** lakeFS `diffRefs` (two dots), page by page. */
  diffRefs(
    repository: string,
    leftRef: string,
    rightRef: string,
    options?: CallOptions,
  ): AsyncGenerator<readonly Diff[]> {
    return refs.diffRefs(this.#http, repository, leftRef, rightRef, options);
  }
  /** lakeFS `mergeIntoBranch`, sent once; look at `LakefsError.outcome` (rule C5). */
  mergeIntoBranch(repository: string, merge: refs.Merge, options?: CallOptions): Promise<MergeResult> {
    return refs.mergeIntoBranch(this.#http, repository, merge, options);
  }
  /** lakeFS `listObjects` below a prefix, page by page. */
  listObjects(
    repository: string,
    ref: string,
    prefix: string,
    options?: CallOptions,
  ): AsyncGenerator<readonly ObjectStats[]> {
    return objects.listObjects(this.#http, repository, ref, prefix, options);
  }
  /** lakeFS `statObject`. */
  statObject(repository: string, ref: string, path: string, options?: CallOptions): Promise<ObjectStats> {
    return objects.statObject(this.#http, repository, ref, path, options);
  }
  /** lakeFS `getObject`: a receiver takes the bytes as they come, a new one for each try. */
  getObject<T>(where: objects.ObjectPlace, options: CallOptions, open: ReceiverSource<T>): Promise<T> {
    return objects.getObject(this.#http, where, options, open);
  }
  /** lakeFS `statObject` with a presigned address to read the object by, valid for some minutes. */
  presignedReadAddress(where: objects.ObjectPlace, options?: CallOptions): Promise<string> {
    return objects.presignedReadAddress(this.#http, where, options);
  }
  /** What the storage of a repository can do; asked once a repository (case L21). */
  abilitiesOf(repository: string, options: CallOptions = {}): Promise<StorageAbilities> {
    const asked = this.#abilities.get(repository) ?? this.#readAbilities(repository, options);
    this.#abilities.set(repository, asked);
    asked.catch(() => this.#abilities.delete(repository));
    return asked;
  }
  /** lakeFS `getPhysicalAddress`, presigned. */
  getPhysicalAddress(place: staging.StagedPlace, options?: CallOptions): Promise<staging.PhysicalPlace> {
    return staging.getPhysicalAddress(this.#http, place, options);
  }
  /** lakeFS `linkPhysicalAddress`; an address can be linked once. */
  linkPhysicalAddress(
    place: staging.StagedPlace,
    link: Parameters<typeof staging.linkPhysicalAddress>[2],
    options?: CallOptions,
  ): Promise<ObjectStats> {
    return staging.linkPhysicalAddress(this.#http, place, link, options);
  }
  /** lakeFS `createPresignMultipartUpload`. */
  createPresignMultipartUpload(place: staging.StagedPlace, options?: CallOptions): Promise<staging.MultipartUpload> {
    return staging.createPresignMultipartUpload(this.#http, place, options);
  }
  /** lakeFS `uploadPart`: a presigned address for one part. */
  uploadPart(
    place: staging.StagedPlace,
    upload: staging.MultipartUpload,
    partNumber: number,
    options?: CallOptions,
  ): Promise<string> {
    return staging.uploadPart(this.#http, place, upload, partNumber, options);
  }
  /** lakeFS `completePresignMultipartUpload`. */
  completePresignMultipartUpload(
    place: staging.StagedPlace,
    upload: staging.MultipartUpload,
    whole: Parameters<typeof staging.completePresignMultipartUpload>[3],
    options?: CallOptions,
  ): Promise<ObjectStats> {
    return staging.completePresignMultipartUpload(this.#http, place, upload, whole, options);
  }
  /** lakeFS `abortPresignMultipartUpload`. */
  abortPresignMultipartUpload(
    place: staging.StagedPlace,
    upload: staging.MultipartUpload,
    options?: CallOptions,
  ): Promise<void> {
    return staging.abortPresignMultipartUpload(this.#http, place, upload, options);
  }
  /** lakeFS `uploadObject` from a source that can be opened again. */
  uploadObject(upload: objects.Upload, options?: CallOptions): Promise<ObjectStats> {
    return objects.uploadObject(this.#http, upload, options);
  }
  /** lakeFS `updateObjectUserMetadata`. */
  updateObjectUserMetadata(
    where: { repository: string; branch: string; path: string },
    metadata: Readonly<Record<string, string>>,
    options?: CallOptions,
  ): Promise<void> {
    return objects.updateObjectUserMetadata(this.#http, where, metadata, options);
  }
  /** lakeFS `deleteObject`. */
  deleteObject(repository: string, branch: string, path: string, options?: CallOptions): Promise<void> {
    return objects.deleteObject(this.#http, repository, branch, path, options);
  }
  /** lakeFS `deleteObjects`: at most 1000 paths; errors of single paths are returned. */
  deleteObjects(
    repository: string,
    branch: string,
    paths: readonly string[],
    options?: CallOptions,
  ): Promise<ObjectError[]> {
    return objects.deleteObjects(this.#http, repository, branch, paths, options);
  }

  async #readAbilities(repository: string, options: CallOptions): Promise<StorageAbilities> {
    const [config, { storage_id: storageId }] = await Promise.all([
      this.getConfig(options),
      this.getRepository(repository, options),
    ]);
    return storageAbilities(config, storageId);
  }

  /** Shows no secret (case A01). */
  [inspect.custom](): string {
    return `LakefsClient(${inspect(this.#http)})`;
  }
}
