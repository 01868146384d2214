import { setTimeout as sleep } from "node:timers/promises";
import { checkFolder } from "../src/check.ts";
import { spawnEmulator } from "./emulator-process.ts";
import { lost, noFacts, prepare, write, type Facts } from "./facts.ts";

/** How the emulator is killed. */
export interface KillPlan {
  readonly folder: string;
  readonly kills: number;
  /** Dice in [0, 1); the same ones give the same moments. */
  readonly random: () => number;
  /** Told after each kill. */
  readonly onKill?: (kill: number, acknowledged: number) => void;
}

/** What was found. */
export interface KillResult {
  /** Acknowledged and then lost, or wrong in the store; nothing where all is well. */
  readonly findings: readonly string[];
}

const WRITERS = 3;
/** A life ends after so many acknowledged answers and so long after the last: at any speed of the machine. */
const MOST_ANSWERS = 24;
const LONGEST_LAST_MS = 12;
const LONGEST_LIFE_MS = 5_000;
const CHECK_ALL_EVERY = 25;

/**
 * Starts the emulator, lets several writers write, SIGKILLs it at a random moment, checks the store, starts it again
 * and
 * asks for all that it had acknowledged in that life (now and then, and at the end, in all lives).
 */
export async function killCycles(plan: KillPlan): Promise<KillResult> {
  const findings: string[] = [];
  const lives: Facts[] = [];
  let server = await spawnEmulator(plan.folder);
  await prepare(server);
  for (let kill = 1; kill <= plan.kills; kill += 1) {
    const facts = noFacts();
    const writers = Array.from({ length: WRITERS }, (_, at) => write(server, `k${kill}w${at}`, facts));
    await livesUntil(facts, Math.floor(plan.random() * MOST_ANSWERS));
    await sleep(plan.random() * LONGEST_LAST_MS);
    await server.end("SIGKILL");
    await Promise.all(writers);
    findings.push(...checkFolder(plan.folder));
    lives.push(facts);
    server = await spawnEmulator(plan.folder);
    const asked = kill === plan.kills || kill % CHECK_ALL_EVERY === 0 ? lives : [facts];
    for (const life of asked) findings.push(...(await lost(server, life)));
    if (asked === lives && kill !== plan.kills) lives.splice(0, lives.length - 1);
    plan.onKill?.(kill, facts.merges.length);
  }
  await server.end("SIGTERM");
  findings.push(...checkFolder(plan.folder));
  return { findings };
}

async function livesUntil(facts: Facts, answerCount: number): Promise<void> {
  const endMs = performance.now() + LONGEST_LIFE_MS;
  const count = (): number => facts.branches.size + facts.objects.size + facts.commits.size + facts.merges.length;
  while (count() < answerCount && performance.now() < endMs) await sleep(1);
}

const MULTIPLIER = 1_664_525;
const INCREMENT = 1_013_904_223;
const MODULUS = 2 ** 32;

/** Dice that give the same numbers for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state * MULTIPLIER + INCREMENT) % MODULUS;
    return state / MODULUS;
  };
}
