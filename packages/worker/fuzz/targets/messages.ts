import * as fc from "fast-check";
import { checkOutcome } from "../../src/executor/check-outcome.ts";
import { childMessageSchema, type ChildOutcome } from "../../src/executor/messages.ts";
import { MAX_LABELS, MAX_TEXT_LENGTH } from "../../src/executor/limits.ts";
import { describeMessageSchema } from "../../src/tasks/describe-messages.ts";
import { demand } from "../kit/judge.ts";
import { brokenJson, mutated } from "../kit/mutate.ts";
import { hostileClone, hostileJson, hostileText } from "../kit/hostile.ts";
import { fuzzTarget, type FuzzTarget } from "../kit/target.ts";

const call = fc.nat();
const resultJson = fc.oneof(
  brokenJson(hostileJson),
  fc.dictionary(fc.string(), fc.nat(), { maxKeys: 3 }).map((value) => JSON.stringify(value)),
);
const account = { extra: fc.array(fc.string({ maxLength: 9 })), rssBytes: fc.nat() };
const soundMessage = fc.oneof(
  fc.record({ type: fc.constant("ready"), rssBytes: fc.nat() }),
  fc.record({ type: fc.constant("cannot_start"), message: hostileText, hint: hostileText }),
  fc.record({ type: fc.constant("fault"), message: hostileText }),
  fc.record({ type: fc.constant("validated"), call, ok: fc.constant(true) }),
  fc.record({ type: fc.constant("begun"), call }),
  fc.record({ type: fc.constant("refused"), call, message: hostileText }),
  fc.record({
    type: fc.constant("outcome"),
    call,
    outcome: fc.oneof(
      fc.record({ kind: fc.constant("returned"), resultJson, sizeBytes: fc.nat() }),
      fc.record({
        kind: fc.constantFrom("input_invalid", "failed", "terminal", "output_invalid"),
        message: hostileText,
      }),
      fc.record({ kind: fc.constant("output_too_large"), sizeBytes: fc.nat(), limitBytes: fc.nat() }),
    ),
    ...account,
  }),
  fc.record({ type: fc.constant("inspected"), call, ...account }),
  fc.record({
    type: fc.constant("log"),
    level: fc.constantFrom("debug", "info", "warn", "error"),
    message: hostileText,
    fieldsJson: brokenJson(hostileJson),
    lostCount: fc.nat(),
  }),
  fc.record({
    type: fc.constant("metric"),
    kind: fc.constantFrom("counter", "gauge", "histogram"),
    name: fc.string({ maxLength: 9 }),
    value: fc.double({ noNaN: true, noDefaultInfinity: true }),
    labels: fc.dictionary(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), { maxKeys: 3 }),
  }),
  fc.record({ type: fc.constant("progress"), percent: fc.nat({ max: 100 }), message: hostileText }),
);

const TYPES: ReadonlySet<unknown> = new Set(
  "ready cannot_start fault begun validated refused outcome inspected log metric progress".split(" "),
);
const OUTPUT_LIMIT_BYTES = 2000;

/**
 * Everything that an accepted message may hold, told by its values alone: nothing unbounded, nothing that is no data.
 */
function demandBounded(value: unknown, name = ""): void {
  if (typeof value === "string") {
    const limit = name === "resultJson" ? Infinity : MAX_TEXT_LENGTH;
    return demand(value.length <= limit, `a text of ${value.length}`, name);
  }
  if (typeof value === "number") return demand(Number.isFinite(value), "a number without a value", name);
  if (typeof value === "boolean") return undefined;
  demand(typeof value === "object" && value !== null, `a ${typeof value}`, name);
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
  demand(isPlain, "an object that is no data", value);
  const entries = Object.entries(value);
  demand(entries.length <= (name === "labels" ? MAX_LABELS : 1000), `${entries.length} entries`, name);
  for (const [key, inner] of entries) demandBounded(inner, key);
}

/** The executor's channel: user code may send anything (rules I3, R5). */
export function executorMessageTarget(
  parse = (raw: unknown) => childMessageSchema.safeParse(raw),
  judge = checkOutcome,
): FuzzTarget {
  return fuzzTarget({
    name: "executor-message",
    claim: "a message is bounded data of a known type, and a result is believed only as JSON of its real size",
    share: 12,
    input: mutated(soundMessage, hostileClone),
    check: ({ value }) => {
      const parsed = parse(value);
      if (!parsed.success) return;
      const message = parsed.data;
      demand(TYPES.has(message.type), "a type that nobody knows", message);
      demandBounded(message);
      if (message.type === "outcome") demandBelieved(message.outcome, judge);
    },
  });
}

function demandBelieved(outcome: ChildOutcome, judge: typeof checkOutcome): void {
  const believed = judge(outcome, OUTPUT_LIMIT_BYTES, (text) => text.slice(0, 100));
  if (believed.kind !== "returned") return;
  const sizeBytes = Buffer.byteLength(believed.resultJson);
  demand(believed.sizeBytes === sizeBytes && sizeBytes <= OUTPUT_LIMIT_BYTES, "a size that is not its own", believed);
  const value: unknown = JSON.parse(believed.resultJson);
  demand(typeof value === "object" && value !== null && !Array.isArray(value), "a result that is no object", believed);
}

const soundDescription = fc.record({
  type: fc.constant("described"),
  hasBareRun: fc.boolean(),
  tasks: fc.array(
    fc.record({
      exportName: fc.string(),
      name: fc.string(),
      findings: fc.array(
        fc.record({
          severity: fc.constantFrom("error", "warning"),
          code: fc.string(),
          message: hostileText,
          hint: hostileText,
        }),
        { maxLength: 2 },
      ),
      task: fc.record({
        timeoutSeconds: fc.nat(),
        responseSeconds: fc.integer({ min: 1, max: 9999 }),
        taskDef: fc.record({ name: fc.string(), inputSchema: fc.constant({}), outputSchema: fc.constant({}) }),
      }),
    }),
    { maxLength: 3 },
  ),
});

/** The describe child's one answer: it has imported a module that may be anybody's (fault J6). */
export function describeMessageTarget(parse = (raw: unknown) => describeMessageSchema.safeParse(raw)): FuzzTarget {
  return fuzzTarget({
    name: "describe-message",
    claim: "what the describe child says is tasks with times that a lease can have, or nothing",
    share: 6,
    input: mutated(soundDescription, hostileClone),
    check: ({ value, isSound }) => {
      const parsed = parse(value);
      if (!parsed.success) return demand(!isSound, "refused a sound description", value);
      if (parsed.data.type !== "described") return;
      demand(parsed.data.tasks.length <= 1000, "tasks without end");
      for (const { name, task } of parsed.data.tasks) {
        demand(typeof name === "string", "a task without a name", name);
        if (task === undefined) continue;
        demand(Number.isSafeInteger(task.timeoutSeconds) && task.timeoutSeconds >= 0, "a wrong time-out", task);
        demand(Number.isSafeInteger(task.responseSeconds) && task.responseSeconds >= 1, "a wrong lease", task);
      }
    },
  });
}
