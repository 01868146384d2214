import { normalisePrefix as fencePrefix, PublishFenceError } from "@perago/fence";
import { LakefsError, normalisePrefix, SyncError, validateListing, type ListedKey } from "@perago/lakefs-sync";
import { compileGlob, parseWorkspaceInput } from "@perago/taskdef";
import { expect, test } from "vitest";
import { failureReason } from "../src/attempt/machine/reason.ts";
import { refusal, unreadable } from "../src/conductor/classify.ts";
import { parsePolledTask } from "../src/conductor/polled-task.ts";
import { parseDurationMs, parseSizeBytes } from "../src/config/units.ts";
import { cleanMessage } from "../src/executor/clean-message.ts";
import { prettyLine } from "../src/telemetry/pretty.ts";
import { safeJson, safeText } from "../src/telemetry/line.ts";
import { createRedactor } from "../src/telemetry/redact.ts";

/** What makes a pattern look at one place again and again: runs, and beginnings of a match that never ends. */
const UNITS = [
  "/",
  "a/",
  " ",
  "a",
  "http://",
  "a://",
  "https://a?",
  "x-amz-a",
  ".",
  "..",
  "\n",
  "\\",
  "%",
  "@",
  "*/",
  "0",
];
const ENDS = ["", "b", "/", "!", "\n"];
const SHORT = 5000;
const LONG = 4 * SHORT;
/** Four times the length: four times the time where it is linear, sixteen where it is quadratic. */
const MAX_GROWTH = 9;
/** What is this quick is not worth a ratio. */
const QUICK_MS = 25;
const TRIES = 5;

const redactor = createRedactor(["a-secret/of+letters", "the-key-id"]);
const cleaning = { redactor, rootNames: new Set(["srv"]), workspacePath: "/srv/w" };
const times = { pollSentAtMs: 0, receivedAtMs: 0 };
const glob = compileGlob("**/a*b*c/*.txt");
const decision = { kind: "refuse", code: "publish_fence", rule: "P3", reason: "foreign_commit", head: "c0" } as const;
const fields = {
  code: "bad_request",
  status: 400,
  operation: "o",
  hint: "h",
  retryable: false,
  outcome: "refused",
} as const;

function listed(key: string): ListedKey {
  return { key, sizeBytes: 1, checksum: "", contentType: "", metadata: {} };
}

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  "fence prefix": fencePrefix,
  "lakeFS prefix": (text) => attempt(() => normalisePrefix(`a${text}`)),
  listing: (text) => validateListing([text, `a/${text}`].map(listed), { prefix: "", excludedPaths: new Set() }),
  "workspace input": (text) =>
    parseWorkspaceInput({ workspace: { repository: text, branch: text, [text]: 1, ref: text } }),
  "polled task": (text) => parsePolledTask({ taskId: text, workflowInstanceId: text }, times),
  glob: (text) => glob.matches(text),
  "commit's words": (text) =>
    new PublishFenceError({ ...decision, commit: { id: text, message: text, committer: text } }),
  "lakeFS error": (text) => new LakefsError({ ...fields, message: text }),
  "folder error": (text) => new SyncError("folder_unstageable", text),
  "Conductor's refusal": (text) => refusal("GET /x", "http://h", 500, text),
  "Conductor's page": (text) => unreadable("GET /x", "http://h", text),
  redaction: (text) => redactor.redact(text),
  "body's message": (text) => cleanMessage(text, cleaning, 500),
  reason: (text) => failureReason({ code: "body_failed", message: text, hint: text }, 500),
  "log line": (text) => safeJson(JSON.stringify(text)),
  "shown text": safeText,
  "pretty line": (text) => prettyLine(JSON.stringify({ msg: text, a: text })),
  size: parseSizeBytes,
  duration: parseDurationMs,
};

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function quickest(read: (text: string) => unknown, text: string): number {
  let best = Infinity;
  for (let again = 0; again < TRIES && best > QUICK_MS; again += 1) {
    const before = process.threadCpuUsage();
    read(text);
    best = Math.min(best, process.threadCpuUsage(before).user / 1000);
  }
  return best;
}

const repeat = (unit: string, length: number, end: string): string => unit.repeat(length / unit.length) + end;

/** The first text whose time grows faster than its length. */
function slowGrowth(read: (text: string) => unknown): string | undefined {
  for (const unit of UNITS) {
    for (const end of ENDS) {
      const longMs = quickest(read, repeat(unit, LONG, end));
      if (longMs <= QUICK_MS) continue;
      const growth = longMs / quickest(read, repeat(unit, SHORT, end));
      if (growth > MAX_GROWTH) return `${JSON.stringify(unit)}...${JSON.stringify(end)}: ${Math.round(longMs)} ms`;
    }
  }
  return undefined;
}

test.each(Object.entries(READERS))("fault J1: the time of %s grows no faster than what it reads", (_, read) => {
  expect(slowGrowth(read)).toBeUndefined();
});

test("a pattern that looks at each run of slashes again and again is caught", () => {
  expect(slowGrowth((text) => `a${text}`.replace(/\/+$/, ""))).toMatch(/ ms$/);
});
