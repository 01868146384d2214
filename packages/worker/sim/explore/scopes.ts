import type { Scope } from "./context.ts";
import { CALM, type Body, type Budget } from "./world.ts";

const interleaved = { timeout: 1, redeliver: 1, crash: 1, merge: 1 };
const own2: readonly Body[] = ["own_file", "own_file"];

function scope(name: string, bodies: readonly Body[], budget: Partial<Budget>, hardFence = true): Scope {
  return { name, bodies, maxRetryCount: 1, budget: { ...CALM, ...budget }, hardFence };
}

/** Two executions of one logical task: what every test run explores. */
export const SMALL_SCOPES: readonly Scope[] = [
  scope("retry, redelivery, rerun, a death, a lost or late merge", own2, { ...interleaved, rerun: 1 }),
  scope("the same with equal results: adoption", ["same_file", "same_file"], { ...interleaved, rerun: 1 }),
  scope("restart, then a body that changes nothing", ["own_file", "nothing"], {
    timeout: 1,
    restart: 1,
    crash: 1,
    merge: 1,
  }),
  scope("rerun, then a body that changes nothing", ["own_file", "nothing"], {
    timeout: 1,
    rerun: 1,
    crash: 1,
    merge: 1,
  }),
  scope("busy answers and copied requests before a no-op", ["own_file", "nothing"], {
    timeout: 1,
    restart: 1,
    busy: 1,
    copy: 1,
  }),
  scope("a foreign commit", own2, { timeout: 1, crash: 1, foreign: 1, merge: 1 }),
  scope("a heartbeat written back", own2, { timeout: 1, beat: 1, lostBeat: 1, crash: 1 }),
  scope("requests that fail", own2, { timeout: 1, request: 2 }),
  scope("a lease that ends, a redelivery", own2, { timeout: 1, redeliver: 1, lapse: 1, request: 1 }),
  scope("somebody writes to a staging branch", own2, { timeout: 1, intruder: 1, merge: 1 }),
  scope("an attempt with another prefix", own2, { timeout: 1, otherPrefix: 1, crash: 1 }),
  scope("three attempts, a death, a lost or late merge", ["own_file", "own_file", "own_file"], {
    timeout: 2,
    crash: 1,
    merge: 1,
  }),
];

/** The same worlds with the soft fence: a lost race is found, and told wherever it happens. */
export const SOFT_SCOPES: readonly Scope[] = [
  scope("soft: retry, redelivery, a death, a lost or late merge", own2, interleaved, false),
  scope("soft: a foreign commit", own2, { timeout: 1, foreign: 1, merge: 1 }, false),
  scope("soft: copied requests", own2, { timeout: 1, copy: 1, busy: 1 }, false),
];

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
    ...interleaved,
    rerun: 1,
    restart: 1,
  }),
  scope("wide: three executions with equal results", ["same_file", "same_file", "own_file"], {
    ...interleaved,
    rerun: 1,
  }),
  scope("wide: soft, three executions", ["own_file", "own_file", "own_file"], { ...interleaved, foreign: 1 }, false),
];
