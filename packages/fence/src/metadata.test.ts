import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { decodeMetadata } from "./decode-metadata.ts";
import { logicalTaskKey } from "./logical-task.ts";
import { CONFIRM_KEYS } from "./metadata-keys.ts";
import {
  encodeConfirmMetadata,
  encodeTryMetadata,
  METADATA_TOTAL_MAX_BYTES,
  METADATA_VALUE_MAX_BYTES,
  MetadataError,
  type ConfirmMetadataFields,
} from "./metadata.ts";
import { stagingBranchName } from "./staging-branch.ts";

const fields: ConfirmMetadataFields = {
  logicalTaskKey: "wf:build:0:features.build",
  taskId: "task-1",
  retryCount: 0,
  inputRef: "a".repeat(64),
  targetBranch: "main",
  prefix: "data",
  stagingBranch: "perago-stg-0123456789abcdef-task-1-0-x",
  stagingCommit: "c".repeat(64),
  expectedHead: "b".repeat(64),
  supersedes: "",
  workflowInstanceId: "wf",
  taskDefName: "features.build",
  referenceTaskName: "build",
  scheduledTime: 1_700_000_000_000,
  workerId: "host-abc0001",
  writer: "ts/1.0.0",
};

function errorOf(act: () => unknown): MetadataError {
  try {
    act();
  } catch (error) {
    if (error instanceof MetadataError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("rule C1", () => {
  test("rule C1: a confirm commit has exactly the seventeen keys, all text, and the expected head of rule C2", () => {
    const record = encodeConfirmMetadata(fields);
    expect(Object.keys(record).toSorted()).toEqual(CONFIRM_KEYS.toSorted());
    expect(CONFIRM_KEYS).toHaveLength(17);
    for (const value of Object.values(record)) expect(typeof value).toBe("string");
    expect(record["perago.expected_head"]).toBe(fields.expectedHead);
  });

  test("rule T9: a staging commit has all of them but the staging commit, and says try", () => {
    const record = encodeTryMetadata(fields);
    expect(Object.keys(record).toSorted()).toEqual(
      CONFIRM_KEYS.filter((key) => key !== "perago.staging_commit").toSorted(),
    );
    expect(record["perago.phase"]).toBe("try");
  });

  const text = fc.string({ unit: "binary", maxLength: 60 });
  const whole = fc.integer({ min: 0, max: 2 ** 50 });
  property.prop([text.filter((key) => key !== ""), text, text, whole, whole])(
    "rule C1: what is written reads back the same",
    (key, branch, worker, retryCount, scheduledTime) => {
      const given = {
        ...fields,
        logicalTaskKey: key,
        targetBranch: branch,
        workerId: worker,
        retryCount,
        scheduledTime,
      };
      const decoded = decodeMetadata(encodeConfirmMetadata(given));
      expect(decoded).toEqual({ ok: true, metadata: { phase: "confirm", ...given, prefix: "data/" } });
    },
  );

  property.prop([fc.dictionary(fc.constantFrom(...CONFIRM_KEYS, "__proto__"), fc.anything())])(
    "rule P3: reading never throws and always names the key that is wrong",
    (record) => {
      const decoded = decodeMetadata(record);
      if (!decoded.ok) expect(CONFIRM_KEYS).toContain(decoded.key);
    },
  );

  test("a number that is no whole number is our own mistake", () => {
    expect(() => encodeConfirmMetadata({ ...fields, retryCount: 0.5 })).toThrow(TypeError);
    expect(() => encodeConfirmMetadata({ ...fields, scheduledTime: -1 })).toThrow(TypeError);
  });
});

describe("case L17", () => {
  const long = "曲🎵".repeat(100);

  test("case L17: names of 200 letters outside ASCII fit and read back the same", () => {
    const key = logicalTaskKey({
      workflowInstanceId: "0b1e7a52-3f0c-4c53-9c1e-0d4a1f0e7c11",
      referenceTaskName: long,
      iteration: 0,
      taskDefName: long,
    });
    const stagingBranch = stagingBranchName({ logicalTaskKey: key, taskId: "task-1", retryCount: 0, executionId: "x" });
    const given = { ...fields, logicalTaskKey: key, referenceTaskName: long, taskDefName: long, stagingBranch };
    const decoded = decodeMetadata(encodeConfirmMetadata(given));
    expect(decoded).toMatchObject({ ok: true, metadata: { logicalTaskKey: key, taskDefName: long } });
  });

  test("case L17: a value of exactly the limit is taken, one byte more names the key", () => {
    const most = "ü".repeat(METADATA_VALUE_MAX_BYTES / 2);
    expect(encodeConfirmMetadata({ ...fields, taskDefName: most })["perago.task_def_name"]).toBe(most);
    const error = errorOf(() => encodeConfirmMetadata({ ...fields, taskDefName: `${most}x` }));
    expect(error).toMatchObject({ code: "metadata_too_large" });
    expect(error.message).toBe("perago.task_def_name has 3073 bytes, more than 3072");
  });

  test("case L17: values that fit alone can be too much together", () => {
    const most = "x".repeat(METADATA_VALUE_MAX_BYTES);
    const given = { ...fields, taskDefName: most, referenceTaskName: most, workerId: most, targetBranch: most };
    expect(errorOf(() => encodeTryMetadata(given)).message).toMatch(
      new RegExp(`^all metadata has \\d+ bytes, more than ${METADATA_TOTAL_MAX_BYTES}$`),
    );
  });

  test("case L17: half a letter would come back changed and is refused", () => {
    const error = errorOf(() => encodeConfirmMetadata({ ...fields, taskDefName: "a\ud800" }));
    expect(error).toMatchObject({ code: "metadata_not_text" });
    expect(error.message).toContain("perago.task_def_name");
  });
});
