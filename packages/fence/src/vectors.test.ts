import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  checkAttempt,
  classifyReadBack,
  mayReport,
  type AttemptCheck,
  type AttemptVerdict,
  type ReadBack,
  type ReportDecision,
} from "./attempt-fence.ts";
import type { FenceCommit } from "./commit.ts";
import { decodeMetadata, type DecodedMetadata } from "./decode-metadata.ts";
import { logicalTaskKey, type LogicalTaskParts } from "./logical-task.ts";
import { encodeConfirmMetadata, encodeTryMetadata, type ConfirmMetadataFields } from "./metadata.ts";
import { normalisePrefix } from "./prefix.ts";
import type { PublishDecision, PublishRange } from "./publish-decision.ts";
import { classifyPublish, MAX_WALKED_COMMITS } from "./publish-fence.ts";
import { isStagingBranchName, stagingBranchName, type StagingBranchParts } from "./staging-branch.ts";

interface Vector<Input, Expected> {
  readonly name: string;
  readonly rules: readonly string[];
  readonly input: Input;
  readonly expected: Expected;
}
type PublishInput = Omit<PublishRange, "commits"> & { readonly commits?: FenceCommit[]; readonly ownCommits?: number };
interface Vectors {
  readonly version: number;
  readonly maxWalkedCommits: number;
  readonly ownCommitMetadata: Readonly<Record<string, string>>;
  readonly attempt: Vector<AttemptCheck, AttemptVerdict>[];
  readonly report: Vector<Parameters<typeof mayReport>[0], ReportDecision>[];
  readonly readBack: Vector<Parameters<typeof classifyReadBack>[0], ReadBack>[];
  readonly publish: Vector<PublishInput, unknown>[];
  readonly encode: Vector<
    { readonly phase: "try" | "confirm"; readonly fields: ConfirmMetadataFields },
    Readonly<Record<string, string>>
  >[];
  readonly decode: Vector<Record<string, unknown>, DecodedMetadata>[];
  readonly prefix: Vector<string, string>[];
  readonly logicalTaskKey: Vector<LogicalTaskParts, string>[];
  readonly stagingBranchName: Vector<StagingBranchParts, string>[];
  readonly stagingBranchForm: Vector<string, boolean>[];
}

const vectors: Vectors = JSON.parse(readFileSync(new URL("../vectors/index.json", import.meta.url), "utf8"));

function run<Input, Expected>(table: readonly Vector<Input, Expected>[], decide: (input: Input) => Expected): void {
  for (const { name, rules, input, expected } of table) {
    const title = name.startsWith("case ")
      ? `${name} (rule ${rules.join(", rule ")})`
      : `rule ${rules.join(", rule ")}: ${name}`;
    test(title, () => {
      const before = structuredClone(input);
      expect(decide(input)).toEqual(expected);
      expect(input).toEqual(before);
    });
  }
}

describe("attempt vectors", () => {
  run(vectors.attempt, checkAttempt);
});
describe("report vectors", () => {
  run(vectors.report, mayReport);
});
describe("readBack vectors", () => {
  run(vectors.readBack, classifyReadBack);
});
describe("publish vectors", () => {
  run(vectors.publish, (input) => compact(classifyPublish(rangeOf(input))));
});
describe("encode vectors", () => {
  run(vectors.encode, ({ phase, fields }) =>
    phase === "try" ? encodeTryMetadata(fields) : encodeConfirmMetadata(fields),
  );
});
describe("decode vectors", () => {
  run(vectors.decode, decodeMetadata);
});
describe("prefix vectors", () => {
  run(vectors.prefix, normalisePrefix);
});
describe("logicalTaskKey vectors", () => {
  run(vectors.logicalTaskKey, logicalTaskKey);
});
describe("stagingBranchName vectors", () => {
  run(vectors.stagingBranchName, stagingBranchName);
});
describe("stagingBranchForm vectors", () => {
  run(vectors.stagingBranchForm, isStagingBranchName);
});

test("the vectors state the bound that the code has, and each table has vectors", () => {
  expect(vectors.maxWalkedCommits).toBe(MAX_WALKED_COMMITS);
  for (const table of Object.values(vectors)) {
    if (Array.isArray(table)) expect(table.length).toBeGreaterThan(3);
  }
});

test("rule T1: every name that is made has the form and is a branch name that lakeFS takes", () => {
  for (const { expected } of vectors.stagingBranchName) {
    expect(isStagingBranchName(expected)).toBe(true);
    expect(expected).toMatch(/^\w[-\w]*$/);
  }
});

/** `ownCommits: n` stands for own confirm commits cn (the head) down to c1 above the input ref c0. */
function rangeOf({ commits, ownCommits = 0, ...rest }: PublishInput): PublishRange {
  if (commits !== undefined) return { ...rest, commits };
  const made: FenceCommit[] = [];
  for (let n = ownCommits; n > 0; n -= 1) {
    const metadata = { ...vectors.ownCommitMetadata, "perago.expected_head": `c${n - 1}` };
    made.push({ id: `c${n}`, parents: [`c${n - 1}`], metadata });
  }
  return { ...rest, commits: [...made, { id: "c0", parents: [], metadata: {} }] };
}

/** The part of a decision that every language can give in the same words. */
function compact(decision: PublishDecision): unknown {
  if (decision.kind === "publish") return decision;
  if (decision.kind === "own_delivery") {
    const { kind, rule, commit, isHead, races } = decision;
    return { kind, rule, commitId: commit.id, isHead, races };
  }
  const { kind, code, rule, reason, commit } = decision;
  return { kind, code, rule, reason, ...(commit === undefined ? {} : { commitId: commit.id }) };
}
