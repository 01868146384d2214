import type { Scope } from "./context.ts";
import { CALM, type Body, type Budget } from "./world.ts";

const interleaved = { timeout: 1, redeliver: 1, crash: 1, merge: 1 };
const own2: readonly Body[] = ["own_file", "own_file"];

const three: readonly Body[] = ["own_file", "own_file", "own_file"];
const noOp: readonly Body[] = ["own_file", "nothing"];

function scope(name: string, bodies: readonly Body[], budget: Partial<Budget>, more: Partial<Scope> = {}): Scope {
  return { name, bodies, maxRetryCount: 1, budget: { ...CALM, ...budget }, hardFence: true, ...more };
}

const soft = { hardFence: false };
const required = { mode: "required" } as const;

/** Two or three executions of one logical task: what every test run explores. */
export const SMALL = {
  retry: scope("retry, redelivery, rerun, a death, a lost or late merge", own2, { ...interleaved, rerun: 1 }),
  adoption: scope("the same with equal results", ["same_file", "same_file"], { ...interleaved, rerun: 1 }),
  restartNoOp: scope("restart, then a body that changes nothing", noOp, { timeout: 1, restart: 1, crash: 1, merge: 1 }),
  rerunNoOp: scope(
    "rerun on the same host, then a body that changes nothing",
    noOp,
    { timeout: 1, rerun: 1, crash: 1, merge: 1 },
    { oneHost: true },
  ),
  copies: scope("busy answers and copied requests before a no-op", noOp, { timeout: 1, restart: 1, busy: 1, copy: 1 }),
  busy: scope("busy answers and copied requests", own2, { timeout: 1, redeliver: 1, busy: 1, copy: 1 }),
  foreign: scope("a foreign commit", own2, { timeout: 1, crash: 1, foreign: 1, merge: 1 }),
  heartbeat: scope("a heartbeat written back", own2, { timeout: 1, beat: 1, lostBeat: 1, crash: 1 }),
  requests: scope("requests that fail", own2, { timeout: 1, request: 2 }),
  lapse: scope("a lease that ends, a redelivery", own2, { timeout: 1, redeliver: 1, lapse: 1, request: 1 }),
  intruder: scope("somebody writes to a staging branch", own2, { timeout: 1, intruder: 1, merge: 1 }),
  unfenced: scope("somebody removes the hard fence", own2, { timeout: 1, unfence: 1, foreign: 1, merge: 1 }),
  required: scope(
    "the hard fence is required, and somebody removes it",
    own2,
    { timeout: 1, unfence: 1, merge: 1 },
    required,
  ),
  inVain: scope(
    "the hard fence is required, and is not there",
    own2,
    { timeout: 1, merge: 1 },
    { ...required, hardFence: false },
  ),
  prefix: scope("an attempt with another prefix", own2, { timeout: 1, otherPrefix: 1, crash: 1 }),
  three: scope("three attempts, a death, a lost or late merge", three, { timeout: 2, crash: 1, merge: 1 }),
} as const;

/** The same worlds with the soft fence: a lost race is found, and told wherever it happens. */
export const SOFT = {
  retry: scope("soft: retry, redelivery, a death, a lost or late merge", own2, interleaved, soft),
  foreign: scope("soft: a foreign commit", own2, { timeout: 1, foreign: 1, merge: 1 }, soft),
  copies: scope("soft: copied requests", own2, { timeout: 1, copy: 1, busy: 1 }, soft),
} as const;

/** A foreign commit between pin and merge: what the soft fence cannot refuse (fault C2). */
export const KNOWN_RACE = scope("the known race", ["own_file"], { foreign: 1 }, { ...soft, promisesHardFence: true });

/** Everything that every test run explores. */
export const SMALL_SCOPES: readonly Scope[] = Object.values(SMALL);
/** The same for the soft fence. */
export const SOFT_SCOPES: readonly Scope[] = Object.values(SOFT);

/** Wider ones, explored by command. */
export const WIDE_SCOPES: readonly Scope[] = [
  scope("wide: two executions, everything once", own2, {
    ...interleaved,
    rerun: 1,
    restart: 1,
    foreign: 1,
    busy: 1,
    copy: 1,
  }),
  scope("wide: two executions, every heartbeat and failed request", own2, {
    ...interleaved,
    rerun: 1,
    beat: 1,
    lostBeat: 1,
    request: 1,
  }),
  scope("wide: three executions, the last changes nothing", ["own_file", "own_file", "nothing"], {
    timeout: 1,
    restart: 1,
    crash: 1,
    merge: 1,
  }),
  scope("wide: three executions with equal results", ["same_file", "same_file", "same_file"], interleaved),
  scope("wide: soft, three executions", three, { timeout: 1, redeliver: 1, merge: 1 }, soft),
];
