import * as fc from "fast-check";

/** Something that parses what others wrote, with what must hold of it for every input. */
export interface FuzzTarget {
  readonly name: string;
  /** The property in words: what is printed, and what the tests claim. */
  readonly claim: string;
  /** Its part of a run's cases, beside the shares of the others. */
  readonly share: number;
  /** Tries `caseCount` cases from a seed. A failure comes back shrunk; the same seed and count give it again. */
  run(options: { readonly caseCount: number; readonly seed: number }): Promise<FuzzResult>;
}

/** What the cases of one target came to. */
export interface FuzzResult {
  readonly caseCount: number;
  /** CPU of the longest single case, milliseconds. */
  readonly slowestMs: number;
  readonly failure: FuzzFailure | undefined;
}

/** A case that broke the property. */
export interface FuzzFailure {
  readonly problem: string;
  /** The shrunk input. */
  readonly input: string;
}

/** How one target is described. */
export interface TargetSpec<T> {
  readonly name: string;
  readonly claim: string;
  readonly share: number;
  readonly input: fc.Arbitrary<T>;
  /** Throws where the property does not hold. */
  readonly check: (input: T) => void | Promise<void>;
  /** What has to be there before the first case; its answer tidies up. */
  readonly open?: () => Promise<() => Promise<void>>;
  /** CPU that one case may take, milliseconds. Default 250: far from any case, near for a quadratic one. */
  readonly limitMs?: number;
}

const DEFAULT_LIMIT_MS = 250;
/** What waits for others, or for ever, ends as a failure, too. */
const MAX_WALL_MS = 20_000;
const SHOWN_INPUT_LENGTH = 2000;

/** Makes a target of its description. */
export function fuzzTarget<T>(spec: TargetSpec<T>): FuzzTarget {
  const { name, claim, share, input, limitMs = DEFAULT_LIMIT_MS } = spec;
  return {
    name,
    claim,
    share,
    async run({ caseCount, seed }) {
      const close = await spec.open?.();
      let slowestMs = 0;
      const property = fc.asyncProperty(input, async (value) => {
        const tookMs = await cpuOf(spec.check, value);
        slowestMs = Math.max(slowestMs, tookMs);
        if (tookMs > limitMs) throw new Error(`one case took ${Math.round(tookMs)} ms, the limit is ${limitMs}`);
      });
      try {
        const details = await fc.check(property, { numRuns: caseCount, seed, timeout: MAX_WALL_MS });
        return { caseCount: details.numRuns, slowestMs, failure: failureOf(details) };
      } finally {
        await close?.();
      }
    },
  };
}

/** By the thread's own clock: what else runs on the machine does not count. */
async function cpuOf<T>(check: (input: T) => void | Promise<void>, value: T): Promise<number> {
  const before = process.threadCpuUsage();
  await check(value);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function failureOf<T>(details: fc.RunDetails<[T]>): FuzzFailure | undefined {
  if (!details.failed) return undefined;
  const { errorInstance, counterexample } = details;
  const shown = counterexample === null ? "" : fc.stringify(counterexample[0]);
  return {
    problem: errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
    input: shown.length <= SHOWN_INPUT_LENGTH ? shown : `${shown.slice(0, SHOWN_INPUT_LENGTH)}...`,
  };
}
