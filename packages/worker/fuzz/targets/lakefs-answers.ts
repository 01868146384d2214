import { LakefsClient, LakefsError, type RetryClock } from "@perago/lakefs-sync";
import * as fc from "fast-check";
import { answers, type WireAnswer } from "../kit/answers.ts";
import { demand, demandError, demandNoSecret } from "../kit/judge.ts";
import { CANARY, hostileText } from "../kit/hostile.ts";
import { brokenJson, mutated } from "../kit/mutate.ts";
import { startRawServer, type RawServer } from "../kit/raw-server.ts";
import { fuzzTarget, type FuzzTarget } from "../kit/target.ts";

const id = fc.constantFrom("a".repeat(64), "b".repeat(64));
const metadata = fc.option(fc.dictionary(hostileText, hostileText, { maxKeys: 3 }));
const commit = fc.record({
  id,
  parents: fc.array(id, { maxLength: 2 }),
  message: hostileText,
  committer: hostileText,
  creation_date: fc.nat(),
  metadata,
});
const object = fc.record({
  path: hostileText,
  path_type: fc.constant("object"),
  checksum: hostileText,
  physical_address: hostileText,
  size_bytes: fc.nat(),
  mtime: fc.nat(),
  content_type: hostileText,
  metadata,
});
const page = (entry: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.record({
    pagination: fc.record({
      has_more: fc.boolean(),
      next_offset: hostileText,
      results: fc.nat(),
      max_per_page: fc.nat(),
    }),
    results: fc.array(entry, { maxLength: 3 }),
  });

const text = (value: unknown): boolean => typeof value === "string";
const field = (value: unknown, name: string): unknown => Reflect.get(Object(value), name);
const texts = (value: unknown, ...names: string[]): boolean => names.every((name) => text(field(value, name)));
const isMetadata = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.values(value).every(text);
const isCommit = (value: unknown): boolean => {
  const parents = field(value, "parents");
  const isList = Array.isArray(parents) && parents.every(text);
  return texts(value, "id", "message", "committer") && isList && isMetadata(field(value, "metadata"));
};
const isObject = (value: unknown): boolean =>
  texts(value, "path", "checksum", "content_type") &&
  Number.isSafeInteger(field(value, "size_bytes")) &&
  isMetadata(field(value, "metadata"));
const isList =
  (isEntry: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(isEntry);

/** One operation: what a sound answer is, how it is asked, and what its result must be, whatever came. */
interface Operation {
  readonly sound: fc.Arbitrary<unknown>;
  readonly ask: (client: LakefsClient) => Promise<unknown>;
  readonly isResult: (value: unknown) => boolean;
}

const first = async <T>(pages: AsyncGenerator<T>): Promise<unknown> => (await pages.next()).value ?? [];
const merge = {
  sourceRef: "a".repeat(64),
  destinationBranch: "main",
  message: "m",
  metadata: {},
  squashMerge: true,
} as const;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  getBranch: {
    sound: fc.record({ id: hostileText, commit_id: id }),
    ask: (client) => client.getBranch("repo", "main"),
    isResult: (value) => texts(value, "id", "commit_id"),
  },
  getCommit: { sound: commit, ask: (client) => client.getCommit("repo", "a".repeat(64)), isResult: isCommit },
  logCommits: {
    sound: page(commit),
    ask: (client) => first(client.logCommits("repo", "main", { firstParent: true })),
    isResult: isList(isCommit),
  },
  listObjects: {
    sound: page(object),
    ask: (client) => first(client.listObjects("repo", "main", "data/")),
    isResult: isList(isObject),
  },
  statObject: { sound: object, ask: (client) => client.statObject("repo", "main", "a\nb"), isResult: isObject },
  diffRefs: {
    sound: page(fc.record({ path: hostileText, path_type: fc.constant("object"), type: fc.constant("added") })),
    ask: (client) => first(client.diffRefs("repo", "a", "b")),
    isResult: isList((value) => texts(value, "path", "path_type", "type")),
  },
  mergeIntoBranch: {
    sound: fc.record({ reference: id }),
    ask: (client) => client.mergeIntoBranch("repo", merge),
    isResult: (value) => texts(value, "reference"),
  },
  deleteObjects: {
    sound: fc.record({
      errors: fc.array(fc.record({ path: hostileText, status_code: fc.nat(), message: hostileText })),
    }),
    ask: (client) => client.deleteObjects("repo", "stg", ["a"]),
    isResult: isList((value) => texts(value, "path", "message")),
  },
  getConfig: {
    sound: fc.record({
      storage_config: fc.record({ blockstore_type: hostileText, pre_sign_support: fc.boolean() }),
      version_config: fc.record({ version: hostileText }),
    }),
    ask: (client) => client.getConfig(),
    isResult: (value) => texts(value, "version", "blockstoreType"),
  },
};

const cases = fc.constantFrom(...Object.keys(OPERATIONS)).chain((name) => {
  const sound = OPERATIONS[name]?.sound ?? fc.constant({});
  return fc.record({ name: fc.constant(name), answer: answers(brokenJson(mutated(sound).map(({ value }) => value))) });
});

/** No waits: what is asked for again is asked for at once, and once. */
const clock: RetryClock = { nowMs: () => performance.now(), random: () => 0, sleep: () => Promise.resolve() };
const policy = { tryCount: 2, baseDelayMs: 1, maxDelayMs: 1, maxRetryAfterMs: 1 };

/** Rule C5 of an error: only a status below 500 that is a refusal says that nothing was done. */
function demandOutcome(error: LakefsError, { status, isWhole }: WireAnswer): void {
  if (error.outcome !== "refused") return;
  const isRefusal = status >= 400 && status < 499 && status !== 408;
  demand(isRefusal, `called an answer of ${status} a refusal`, error);
  demand(isWhole || error.status === status, "called a broken answer a refusal", error);
}

/** Faults E1, E3, E4, E7; cases A01, A02; rule C5. */
export function lakefsAnswerTarget(wrap = (client: LakefsClient): LakefsClient => client): FuzzTarget {
  let server: RawServer | undefined;
  let client: LakefsClient | undefined;
  return fuzzTarget({
    name: "lakefs-answer",
    claim:
      "an answer has the shape of its operation, or is a LakefsError that keeps secrets and calls no unknown refused",
    share: 1,
    limitMs: 2000,
    input: cases,
    open: async () => {
      const opened = await startRawServer();
      const connection = {
        endpoint: opened.url,
        accessKeyId: "AKIAFUZZ",
        secretAccessKey: CANARY,
        idleTimeoutMs: 1000,
      };
      const real = new LakefsClient(connection, { clock, policy });
      [server, client] = [opened, wrap(real)];
      return async () => {
        await real.close();
        await opened.close();
      };
    },
    check: async ({ name, answer }) => {
      const operation = OPERATIONS[name];
      if (operation === undefined || server === undefined || client === undefined) throw new Error("not opened");
      server.answer(answer.bytes, answer.isLast);
      try {
        const result = await operation.ask(client);
        demand(operation.isResult(result), `${name} answered another shape`, result);
        demand(answer.status < 300, `took a ${answer.status} for an answer`, result);
      } catch (error) {
        if (error instanceof Error && error.name === "Error") throw error;
        demandError(error, LakefsError);
        demandNoSecret(error);
        demandOutcome(error, answer);
      }
    },
  });
}
