import * as fc from "fast-check";
import { failureReason } from "../../src/attempt/machine/reason.ts";
import { cleanMessage } from "../../src/executor/clean-message.ts";
import { FAILURE_CODES } from "../../src/failure.ts";
import { MAX_LINE_BYTES } from "../../src/telemetry/line.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { prettyLine } from "../../src/telemetry/pretty.ts";
import { createRedactor } from "../../src/telemetry/redact.ts";
import { demand, demandNoCanary, demandNoHostPath, demandWords } from "../kit/judge.ts";
import { CANARY, HOST_FOLDER, hostileClone, hostileText } from "../kit/hostile.ts";
import { fuzzTarget, type FuzzTarget } from "../kit/target.ts";

const encoded = (text: string, encoding: "base64" | "base64url"): string => Buffer.from(text).toString(encoding);

/** Texts in which a secret stands, as servers and libraries write them. */
const leaky: fc.Arbitrary<string> = fc
  .tuple(hostileText, hostileText, fc.nat({ max: 9 }), fc.stringMatching(/^[A-Za-z0-9]{0,8}$/))
  .map(([before, after, form, user]) => `${before}${leakIn(form, user)}${after}`);

function leakIn(form: number, user: string): string {
  switch (form) {
    case 0:
      return CANARY;
    case 1:
      return ` Basic ${encoded(`${user}:${CANARY}`, "base64")} `;
    case 2:
      return encodeURIComponent(CANARY);
    case 3:
      return ` ${JSON.stringify({ secret: CANARY }).replaceAll("/", "\\/")} `;
    case 4:
      return ` http://store/x?X-Amz-Signature=${user}&X-Amz-Credential=${encodeURIComponent(CANARY)} `;
    case 5:
      return ` "http:\\/\\/store/x?a=1\\u0026X-Amz-Security-Token=${encodeURIComponent(CANARY)}" `;
    case 6:
      return ` ${encoded(`{"user":"${user}","secret":"${CANARY}"}`, "base64url")} `;
    case 7:
      return ` https://${user}:${encodeURIComponent(CANARY)}@store/x `;
    case 8:
      return ` ${encodeURIComponent(CANARY).toLowerCase().replace("canary", "cAnArY")} `;
    default:
      return ` ${HOST_FOLDER}/0001/file.txt `;
  }
}

/** The core of the canary's base64 at each of the three places that it can have in a longer text. */
const BASE64_CORES: readonly string[] = [0, 1, 2].flatMap((shift) => {
  const text = encoded(`${"x".repeat(shift)}${CANARY}`, "base64").replace(/=+$/, "");
  const core = text.slice(shift === 0 ? 0 : shift + 1, -2);
  return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
});

function demandRedacted(text: string, where: string): void {
  demandNoCanary(text, where);
  for (const core of BASE64_CORES)
    demand(!text.includes(core), `${where} shows the secret as base64`, text.slice(0, 300));
  demand(!/x-amz-/i.test(text), `${where} shows a presigned query`, text.slice(0, 300));
}

/** Rule R3, case A01, case A02, fault J4. */
export function redactionTarget(create = createRedactor): FuzzTarget {
  const redactor = create([CANARY]);
  return fuzzTarget({
    name: "redaction",
    claim: "no form of a secret and no presigned query is left in a text, and redacting twice changes nothing",
    share: 10,
    input: leaky,
    check: (text) => {
      const clean = redactor.redact(text);
      demandRedacted(clean, "the text");
      demand(redactor.redact(clean) === clean, "a second time changes it again", clean.slice(0, 300));
      demand(clean.length <= text.length + 1000, "it grew", clean.slice(0, 300));
    },
  });
}

/** Fault J5: one event is one line of JSON, whatever is logged. */
export function logTarget(create = createLogger): FuzzTarget {
  const lines: string[] = [];
  const log = create({
    level: "debug",
    secrets: [CANARY],
    sinks: [{ write: (line) => lines.push(line) > 0 }],
  });
  return fuzzTarget({
    name: "log-line",
    claim: "one event is one bounded line of JSON without a secret, and nothing that is logged can throw",
    share: 6,
    input: fc.tuple(leaky, hostileText, hostileClone, fc.constantFrom("debug", "info", "warn", "error")),
    check: ([message, key, value, level]) => {
      lines.length = 0;
      log.child({ slot: 1 })[level](message, { [key]: value, error: new Error(message) });
      demand(lines.length <= 1, "one event made several lines", lines);
      for (const line of lines) {
        demand(Buffer.byteLength(line) <= MAX_LINE_BYTES, `a line of ${line.length}`);
        demandWords(line, "the line", MAX_LINE_BYTES);
        demandRedacted(line, "the line");
        const record: Record<string, unknown> = Object(JSON.parse(line));
        demand(record["level"] === level && typeof record["msg"] === "string", "a field took the place of ours", line);
        demandWords(prettyLine(line).replaceAll(/\u001b\[\d+m/g, ""), "the pretty line", MAX_LINE_BYTES * 4);
      }
    },
  });
}

/** Rule R3. */
export function reasonTarget(make = failureReason): FuzzTarget {
  return fuzzTarget({
    name: "reason",
    claim: "a reason begins with its code, is never longer than it may be, and is one line of whole letters",
    share: 6,
    input: fc.record({
      code: fc.constantFrom(...FAILURE_CODES),
      message: fc.oneof(leaky, hostileText),
      hint: hostileText,
      maxLength: fc.constantFrom(50, 500, 500, 4000),
    }),
    check: ({ maxLength, ...failure }) => {
      const reason = make(failure, maxLength);
      demandWords(reason, "the reason", maxLength);
      demand(reason.startsWith(failure.code), "it does not begin with its code", reason);
    },
  });
}

/** Rule R3, fault J4: what a body throws. */
export function cleanMessageTarget(clean = cleanMessage): FuzzTarget {
  const context = {
    redactor: createRedactor([CANARY]),
    rootNames: new Set(["srv", "etc", "home"]),
    workspacePath: HOST_FOLDER,
  };
  return fuzzTarget({
    name: "body-message",
    claim: "what a body throws shows neither a secret nor where this host keeps its folders",
    share: 6,
    input: fc.tuple(leaky, fc.constantFrom("", "file://", " at ", "(", "'", "a:")).map(([text, mark]) => {
      return `${text}${mark}${HOST_FOLDER}/0001/a.txt and /etc/passwd`;
    }),
    check: (text) => {
      const shown = clean(text, context, 1000);
      demand(shown.length <= 1000 && shown.isWellFormed(), "not bounded, or half a letter", shown);
      demandRedacted(shown, "the message");
      demandNoHostPath(shown, "the message");
      demand(!shown.includes("/etc/passwd"), "an absolute path of the host", shown);
    },
  });
}
