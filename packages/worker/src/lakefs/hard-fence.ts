import { randomBytes } from "node:crypto";
import { EXPECTED_HEAD } from "@perago/fence";
import {
  HARD_FENCE,
  HARD_FENCE_PROBE_PREFIX,
  HARD_FENCE_WORDS,
  hardFencePath,
  isHardFenceInForce,
  recogniseHardFence,
  type HardFenceState,
} from "@perago/fence/hard-fence";
import { LakefsError, type LakefsClient, type ReceiverSource } from "@perago/lakefs-sync";
import type { HardFenceReading } from "../attempt/ports/target-store.ts";
import { asAttempt } from "./lakefs-failure.ts";

/** A target, and the commit whose action is looked at. */
export interface HardFenceAt {
  readonly repository: string;
  readonly branch: string;
  /** Full id: what a branch name shows would move. */
  readonly commitId: string;
}

/** Larger than any text of this package; what is longer was edited. */
const maxTextSizeBytes = 64 * 1024;
const requestTimeoutMs = 30_000;
/** Targets whose server was seen to refuse; the oldest is forgotten. */
const maxProvedTargets = 1000;

/** What the commit carries where the target's action stands (rule H3). Throws `LakefsError`. */
export async function readHardFence(client: LakefsClient, at: HardFenceAt): Promise<HardFenceState> {
  const { repository, branch, commitId: ref } = at;
  const where = { repository, ref, path: hardFencePath(branch) };
  try {
    const text = await client.getObject(where, { timeoutMs: requestTimeoutMs }, firstBytes);
    return recogniseHardFence(text, branch);
  } catch (error) {
    if (error instanceof LakefsError && error.code === "not_found") return recogniseHardFence(undefined, branch);
    throw error;
  }
}

/** A text, or the beginning of what is longer than any of this package. */
const firstBytes: ReceiverSource<string> = () => {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  return {
    take: (piece) => {
      if (sizeBytes < maxTextSizeBytes) pieces.push(Buffer.from(piece));
      sizeBytes += piece.length;
    },
    end: () => Buffer.concat(pieces).toString("utf8"),
  };
};

/**
 * Whether the server refuses by the action that the commit carries (fault D7: hooks can be switched off in lakeFS'
 * settings, and then an action is only a file). It merges the commit onto a hidden throw-away branch that the action
 * covers, from a head that it has not: the target is not touched, whatever the answer. Throws `LakefsError` where
 * that could not be tried.
 */
export async function probeHardFence(
  client: LakefsClient,
  { repository, commitId }: Pick<HardFenceAt, "repository" | "commitId">,
): Promise<boolean> {
  const name = `${HARD_FENCE_PROBE_PREFIX}${randomBytes(6).toString("hex")}`;
  await client.createBranch(repository, { name, sourceCommitId: commitId, hidden: true });
  try {
    const message = "perago: does the hard fence refuse? On a throw-away branch";
    const metadata = { [HARD_FENCE]: "probe", [EXPECTED_HEAD]: "none" };
    const merge = { sourceRef: commitId, destinationBranch: name, message, metadata };
    const options = { timeoutMs: requestTimeoutMs };
    await client.mergeIntoBranch(repository, { ...merge, squashMerge: true, allowEmpty: true }, options);
    return false;
  } catch (error) {
    if (isHardFenceRefusal(error)) return true;
    throw error;
  } finally {
    // What stays is swept with the staging branches: its name has their form.
    await client.deleteBranch(repository, name).catch(() => undefined);
  }
}

/** Whether lakeFS refused because the hard fence did, and no other hook. */
export function isHardFenceRefusal(error: unknown): boolean {
  return error instanceof LakefsError && error.code === "hook_refused" && error.message.includes(HARD_FENCE_WORDS);
}

/**
 * Reads the hard fence as attempts need it: a text in force counts once this host has seen the server refuse by it,
 * which is tried once for each target.
 */
export function createHardFenceReader(client: LakefsClient): (at: HardFenceAt) => Promise<HardFenceReading> {
  const proved = new Map<string, Promise<boolean>>();
  const prove = (at: HardFenceAt): Promise<boolean> => {
    const name = `${at.repository}/${at.branch}`;
    const known = proved.get(name);
    if (known !== undefined) return known;
    const proof = probeHardFence(client, at);
    const forget = (): void => void (proved.get(name) === proof && proved.delete(name));
    const oldest = proved.size >= maxProvedTargets ? proved.keys().next().value : undefined;
    if (oldest !== undefined) proved.delete(oldest);
    proved.set(name, proof);
    // Only a refusal is remembered: what failed or passed is tried again by the next attempt.
    proof.then((refuses) => (refuses ? undefined : forget()), forget);
    return proof;
  };
  return async (at) => {
    const state = await asAttempt(readHardFence(client, at));
    if (!isHardFenceInForce(state)) return state;
    try {
      return (await prove(at)) ? state : { kind: "not_enforced" };
    } catch (error) {
      if (error instanceof LakefsError) return { kind: "unproven", why: error.message };
      throw error;
    }
  };
}
