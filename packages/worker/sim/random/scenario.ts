import type { HardFenceMode } from "../../src/attempt/machine/facts.ts";
import { diceOf } from "./dice.ts";

/** What a person, or another tool, does at some time. */
export interface Deed {
  readonly name: string;
  readonly kind: "rerun" | "restart" | "terminate" | "foreign" | "intruder" | "unfence";
  readonly atMs: number;
}

/** What one run is: everything but the answers of the network. All of it comes from the seed. */
export interface Scenario {
  readonly seed: number;
  /** The target carries the hard fence at the start. */
  readonly hardFence: boolean;
  /** Rule H2; `required` only where the hard fence is there. */
  readonly mode: HardFenceMode;
  /** Steps of the workflow: one logical task each. */
  readonly stepCount: number;
  readonly maxRetryCount: number;
  readonly responseTimeoutSeconds: number;
  /** Of all executions together; no more are started. */
  readonly maxExecutionCount: number;
  /** How often a request meets a fault. */
  readonly faultRate: number;
  /** Longest way of an ordinary request, there or back: slow ones let more happen in between. */
  readonly paceMs: number;
  /** How often an acknowledgement is lost, so that a task is handed out twice. */
  readonly redeliveryRate: number;
  readonly deeds: readonly Deed[];
}

const faultRates = [0, 0.01, 0.03, 0.08];
const pacesMs = [20, 500, 2500];
const redeliveryRates = [0, 0, 0.1, 0.4];
const deedKinds = ["rerun", "rerun", "restart", "terminate", "foreign", "intruder"] as const;

/** The scenario of a seed. */
export function scenarioOf(seed: number): Scenario {
  const dice = diceOf(seed, "scenario");
  const fenceDice = diceOf(seed, "hard fence");
  const responseTimeoutSeconds = dice.pick([15, 60]);
  const deedCount = Math.max(0, dice.between(-1, 3));
  const hardFence = dice.chance(2 / 3);
  const atMs = fenceDice.between(0, responseTimeoutSeconds * 4000);
  const unfenced = hardFence && fenceDice.chance(1 / 10) ? [{ name: "unfenced", kind: "unfence", atMs } as const] : [];
  return {
    seed,
    hardFence,
    mode: fenceDice.pick(hardFence ? (["auto", "required", "off"] as const) : (["auto", "off"] as const)),
    stepCount: dice.between(1, 3),
    maxRetryCount: dice.between(1, 3),
    responseTimeoutSeconds,
    maxExecutionCount: 12,
    faultRate: dice.pick(faultRates),
    paceMs: dice.pick(pacesMs),
    redeliveryRate: dice.pick(redeliveryRates),
    deeds: [
      ...Array.from({ length: deedCount }, (_, index) => {
        const name = `deed ${index}`;
        return { name, kind: dice.pick(deedKinds), atMs: dice.between(0, responseTimeoutSeconds * 4000) };
      }),
      ...unfenced,
    ],
  };
}
