import { classifyPublish, decodeMetadata } from "@perago/fence";
import { LakefsError, validateListing, type LakefsClient } from "@perago/lakefs-sync";
import { describe, expect, test } from "vitest";
import { parseSettings } from "../src/config/settings.ts";
import { parseDurationMs } from "../src/config/units.ts";
import { parsePolledTask } from "../src/conductor/polled-task.ts";
import { checkOutcome } from "../src/executor/check-outcome.ts";
import { dealCases, TARGETS } from "../fuzz/targets/catalog.ts";
import { metadataTarget, publishFenceTarget } from "../fuzz/targets/commits.ts";
import { conductorAnswerTarget } from "../fuzz/targets/conductor-answers.ts";
import { polledTaskTarget, taskInputTarget } from "../fuzz/targets/input.ts";
import { lakefsAnswerTarget } from "../fuzz/targets/lakefs-answers.ts";
import { describeMessageTarget, executorMessageTarget } from "../fuzz/targets/messages.ts";
import { modulePathTarget } from "../fuzz/targets/module-path.ts";
import { listingTarget, prefixTarget } from "../fuzz/targets/names.ts";
import { dotenvTarget, settingsTarget, unitsTarget } from "../fuzz/targets/settings.ts";
import { cleanMessageTarget, logTarget, reasonTarget, redactionTarget } from "../fuzz/targets/texts.ts";
import { fuzzTarget, type FuzzTarget } from "../fuzz/kit/target.ts";
import * as fc from "fast-check";

/**
 * The bounded run of the suite: a few seconds in all. `pnpm fuzz` makes a million cases, each run from another seed.
 */
const SUITE_CASES = 12_000;
const SUITE_SEED = 20_261_130;
const NO_FOLDING = { foldsCase: false, normalises: false };
const BROKEN_CASES = 4000;
const timeoutMs = 120_000;

/** What each target shows. */
const SHOWN = [
  { target: "task-input", title: "rule I1, rule I4, rule I5, fault J1" },
  { target: "polled-task", title: "rule A1, fault J1" },
  { target: "commit-metadata", title: "rule C1, rule P7" },
  { target: "publish-fence", title: "rule P2, rule P3, rule P4, rule P8" },
  { target: "prefix", title: "rule T11, case N16" },
  { target: "listing", title: "rule I5, case N04, case N06, case N12, fault G3" },
  { target: "executor-message", title: "rule I3, rule R5" },
  { target: "describe-message", title: "fault J6" },
  { target: "module-path", title: "fault J6" },
  { target: "redaction", title: "rule R3, case A01, case A02, fault J4" },
  { target: "body-message", title: "rule R3, fault J4" },
  { target: "reason", title: "rule R3, fault J5" },
  { target: "log-line", title: "case A01, fault J4, fault J5" },
  { target: "lakefs-answer", title: "rule C5, case A01, case A02, fault E1, fault E7" },
  { target: "conductor-answer", title: "case A01, case R10, case R14, fault E5, fault E7" },
  { target: "units", title: "case A04" },
  { target: "settings", title: "case A01, case A04" },
  { target: "dotenv", title: "case A04" },
] as const;

describe("what others wrote", () => {
  const dealt = dealCases(TARGETS, SUITE_CASES).map(({ target, caseCount }) => {
    const { title = "nothing" } = SHOWN.find((row) => row.target === target.name) ?? {};
    return { target, caseCount, name: `${title}: ${target.name}: ${target.claim}` };
  });
  test.each(dealt)(
    "$name",
    async ({ target, caseCount }) => {
      const { failure } = await target.run({ caseCount, seed: SUITE_SEED });
      expect(failure).toBeUndefined();
    },
    timeoutMs,
  );

  test("every target says what it shows", () => {
    expect(SHOWN.map(({ target }) => target).toSorted()).toEqual(TARGETS.map(({ name }) => name).toSorted());
  });
});

/** A parser with one guard less, for each target: what the fuzzing must find. */
const BROKEN: Readonly<Record<string, readonly [what: string, target: FuzzTarget]>> = {
  "task-input": [
    "takes branch names for refs",
    taskInputTarget((value) => ({ ok: true, value: Reflect.get(Object(value), "workspace") })),
  ],
  "polled-task": [
    "fills a missing number",
    polledTaskTarget((wire, times) =>
      parsePolledTask(typeof wire === "object" && wire !== null ? { ...wire, pollCount: 1 } : wire, times),
    ),
  ],
  "commit-metadata": [
    "takes every commit for a staging commit",
    metadataTarget((record) => decodeMetadata({ ...record, "perago.phase": "try" })),
  ],
  "publish-fence": [
    "believes the newest commit alone",
    publishFenceTarget((range) => {
      const [newest] = range.commits;
      const input = { id: range.inputRef, parents: [], metadata: {} };
      if (newest === undefined || newest.id === range.inputRef) return classifyPublish(range);
      return classifyPublish({ ...range, commits: [{ ...newest, parents: [range.inputRef] }, input] });
    }),
  ],
  prefix: ["joins without looking at segments", prefixTarget((text) => `${text.replaceAll(/^\/+|\/+$/g, "")}/`)],
  listing: [
    "forgets the names that fold together",
    listingTarget((entries, rules) => validateListing(entries, { ...rules, disk: NO_FOLDING })),
  ],
  "executor-message": [
    "believes the size that the executor names",
    executorMessageTarget(undefined, (outcome, limitBytes, clean) => {
      const sizeBytes = outcome.kind === "returned" ? outcome.sizeBytes : 0;
      return outcome.kind === "returned" && sizeBytes <= limitBytes
        ? { kind: "returned", resultJson: outcome.resultJson, sizeBytes }
        : checkOutcome(outcome, limitBytes, clean);
    }),
  ],
  "describe-message": ["takes any time-out", describeMessageTarget((raw) => ({ success: true, data: raw }) as never)],
  units: ["reads minutes as months", unitsTarget(undefined, (text) => (/m$/i.test(text) ? 1 : parseDurationMs(text)))],
  settings: [
    "repeats a wrong address",
    settingsTarget((input) => {
      try {
        return parseSettings(input);
      } catch (error) {
        throw Object.assign(error as Error, { given: input.variables });
      }
    }),
  ],
  dotenv: ["lets the file win", dotenvTarget((folder, environment) => ({ ...environment, A: folder }))],
  "module-path": [
    "takes what lies at the path",
    modulePathTarget((given, folder) => Promise.resolve({ ok: true, modulePath: `${folder}/${given}` })),
  ],
  redaction: [
    "knows the plain form only",
    redactionTarget(([secret = ""]) => ({ redact: (text) => text.replaceAll(secret, "[redacted]") })),
  ],
  "body-message": ["cuts and does no more", cleanMessageTarget((text, _, maxLength) => text.slice(0, maxLength))],
  reason: ["cuts inside a letter", reasonTarget(({ code, message }, max) => `${code}: ${message}`.slice(0, max))],
  "log-line": [
    "writes the message as it is",
    logTarget(({ sinks }) => {
      const write = (message: string): void => void sinks[0]?.write(`{"msg":"${message}"}`);
      const log = { debug: write, info: write, warn: write, error: write, child: () => log };
      return log;
    }),
  ],
  "lakefs-answer": [
    "calls every failure a refusal",
    lakefsAnswerTarget(
      (client) =>
        new Proxy(client, {
          get: (real, name) => (name === "statObject" ? () => refusing(real) : Reflect.get(real, name).bind(real)),
        }),
    ),
  ],
  "conductor-answer": [
    "takes whatever comes for an answer",
    conductorAnswerTarget({
      poll: () => Promise.resolve(true),
      read: () => Promise.resolve(true),
      heartbeat: () => Promise.resolve(true),
      taskDef: () => Promise.resolve(true),
    }),
  ],
};

async function refusing(client: LakefsClient): Promise<unknown> {
  try {
    return await client.statObject("repo", "main", "a");
  } catch (error) {
    throw new LakefsError({ ...(error as LakefsError).toFields(), outcome: "refused" });
  }
}

describe("a parser that is broken on purpose", () => {
  test("every target has one", () => {
    expect(Object.keys(BROKEN).toSorted()).toEqual(TARGETS.map(({ name }) => name).toSorted());
  });

  const rows = Object.entries(BROKEN).map(([name, [what, target]]) => ({ name, what, target }));
  test.each(rows)(
    "$name is caught where it $what",
    async ({ target }) => {
      const result = await target.run({ caseCount: BROKEN_CASES, seed: SUITE_SEED });
      expect(result.failure?.problem).toMatch(/./);
      // The printed seed gives the same failure again.
      expect(await target.run({ caseCount: BROKEN_CASES, seed: SUITE_SEED })).toMatchObject({
        caseCount: result.caseCount,
        failure: { input: result.failure?.input },
      });
    },
    timeoutMs,
  );

  test("a case that takes too long is caught", async () => {
    const check = (length: number): void => {
      const before = process.threadCpuUsage();
      while (process.threadCpuUsage(before).user < length * 1000) Math.sqrt(length);
    };
    const slow = fuzzTarget({ name: "slow", claim: "", share: 1, input: fc.nat({ max: 40 }), limitMs: 20, check });
    expect((await slow.run({ caseCount: 100, seed: 1 })).failure?.problem).toMatch(/one case took \d+ ms/);
  });
});
