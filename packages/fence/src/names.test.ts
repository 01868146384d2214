import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { logicalTaskKey } from "./logical-task.ts";
import { normalisePrefix, samePrefix } from "./prefix.ts";
import { isStagingBranchName, stagingBranchName, stagingBranchPrefix } from "./staging-branch.ts";

const part = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("%", ":", "2", "5", "3", "A", "a") }));
const parts = fc.record({
  workflowInstanceId: part,
  referenceTaskName: part,
  iteration: fc.nat({ max: 3 }),
  taskDefName: part,
});

describe("logical task key", () => {
  property.prop([parts, parts])("rule P2: two steps share a key only where all four parts are equal", (left, right) => {
    const same = JSON.stringify(left) === JSON.stringify(right);
    expect(logicalTaskKey(left) === logicalTaskKey(right)).toBe(same);
  });

  property.prop([parts])("rule P2: decoding the four fields of a key gives the parts back", (given) => {
    const fields = logicalTaskKey(given).split(":");
    const decoded = fields.map((field) => field.replaceAll("%3A", ":").replaceAll("%25", "%"));
    expect(decoded).toEqual([
      given.workflowInstanceId,
      given.referenceTaskName,
      String(given.iteration),
      given.taskDefName,
    ]);
  });

  test("case R16: retry, rerun and restart share the key, a new workflow does not", () => {
    const step = {
      workflowInstanceId: "wf-1",
      referenceTaskName: "build",
      iteration: 0,
      taskDefName: "features.build",
    };
    expect(logicalTaskKey({ ...step })).toBe(logicalTaskKey(step));
    expect(logicalTaskKey({ ...step, workflowInstanceId: "wf-2" })).not.toBe(logicalTaskKey(step));
  });

  test("an iteration that is no count is our own mistake", () => {
    const step = { workflowInstanceId: "w", referenceTaskName: "r", taskDefName: "t" };
    for (const iteration of [-1, 0.5, Number.NaN])
      expect(() => logicalTaskKey({ ...step, iteration })).toThrow(TypeError);
  });
});

describe("staging branch names", () => {
  const executionId = fc.stringMatching(/^[-\w]{1,64}$/);
  const given = fc.record({ logicalTaskKey: fc.string(), taskId: fc.string(), retryCount: fc.nat(), executionId });

  property.prop([given])(
    "rule T1: every name is one that lakeFS takes, has the form, and begins with its prefix",
    (from) => {
      const name = stagingBranchName(from);
      expect(name).toMatch(/^\w[-\w]*$/);
      expect(isStagingBranchName(name)).toBe(true);
      expect(name.startsWith(stagingBranchPrefix(from.logicalTaskKey))).toBe(true);
    },
  );

  property.prop([given, executionId])(
    "rule T1: another execution of the same attempt has another branch",
    (from, other) => {
      const same = from.executionId === other;
      expect(stagingBranchName(from) === stagingBranchName({ ...from, executionId: other })).toBe(same);
    },
  );

  test("rule T1: 100000 keys of one workflow have 100000 prefixes", () => {
    const prefixes = new Set<string>();
    for (let index = 0; index < 100_000; index += 1) prefixes.add(stagingBranchPrefix(`wf:t${index}:0:n`));
    expect(prefixes.size).toBe(100_000);
  });

  test("an execution id that lakeFS would refuse is our own mistake", () => {
    const from = { logicalTaskKey: "k", taskId: "t", retryCount: 0 };
    for (const bad of ["", "a/b", "a b", "x".repeat(65)]) {
      expect(() => stagingBranchName({ ...from, executionId: bad })).toThrow(TypeError);
    }
  });
});

describe("prefix", () => {
  const prefix = fc.string({ unit: fc.constantFrom("/", "a", "b", " ", ".", "ü") });

  property.prop([prefix])(
    "rule P4: the normal form is stable and either the root or one folder (case N16)",
    (given) => {
      const normal = normalisePrefix(given);
      expect(normalisePrefix(normal)).toBe(normal);
      expect(normal === "" || (/[^/]\/$/.test(normal) && !normal.startsWith("/"))).toBe(true);
    },
  );

  property.prop([prefix, fc.nat({ max: 3 }), fc.nat({ max: 3 })])(
    "rule P4: slashes around a prefix never matter (case N16)",
    (given, before, after) => {
      expect(samePrefix(given, "/".repeat(before) + given + "/".repeat(after))).toBe(true);
    },
  );

  test("case N16: data is not data-old", () => {
    expect(samePrefix("data", "data-old")).toBe(false);
    expect("data-old/x".startsWith(normalisePrefix("data"))).toBe(false);
  });
});
