import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { z } from "zod";
import type { PhaseName, PortsOwner } from "@perago/worker";
import type { Fact } from "./messages.ts";

const stagingArgs = z.tuple([z.string(), z.string()], z.unknown());
const syncAnswer = z.object({ path: z.string() });
const readAnswer = z
  .object({
    status: z.string(),
    workflowInstanceId: z.string(),
    retryCount: z.number(),
    scheduledTime: z.number(),
    pollCount: z.number(),
    workerId: z.string(),
  })
  .nullable();
const mergeArgs = z.tuple([z.object({ stagingCommit: z.string() })], z.unknown());
const mergeAnswer = z.object({ kind: z.string(), commitId: z.string().optional() });
const reportArgs = z.tuple(
  [z.object({ status: z.string(), reasonForIncompletion: z.string().optional(), outputJson: z.string().optional() })],
  z.unknown(),
);
const output = z.object({ workspace: z.object({ ref: z.string() }) });

/** Sees the facts of one execution's steps as they go by. */
export interface FactReader {
  before(phase: PhaseName, args: readonly unknown[]): Promise<Fact | undefined>;
  after(phase: PhaseName, answer: unknown): Fact | undefined;
}

/** A reader for one execution. It trusts nothing that the worker says of the folder: it reads the folder itself. */
export function createFactReader(owner: PortsOwner): FactReader {
  let folder: string | undefined;
  return {
    async before(phase, args) {
      if (phase === "createStaging") return { kind: "staging", branch: stagingArgs.parse(args)[1] };
      if (phase === "merge") return { kind: "merging", stagingCommit: mergeArgs.parse(args)[0].stagingCommit };
      return phase === "report" ? reporting(args, folder) : undefined;
    },
    after(phase, answer) {
      if (phase === "syncIn") folder = syncAnswer.parse(answer).path;
      if (phase === "commitStaging") return { kind: "staged", commit: z.string().parse(answer) };
      if (phase === "recheckAttempt") return checked(owner, answer);
      if (phase !== "merge") return undefined;
      const { kind: outcome, commitId } = mergeAnswer.parse(answer);
      return { kind: "merged", outcome, ...(commitId === undefined ? {} : { commit: commitId }) };
    },
  };
}

/** Rule A1, said once more and independently of the worker's own words, without its lease. */
function checked({ polled }: PortsOwner, answer: unknown): Fact {
  const read = readAnswer.parse(answer);
  const current =
    read !== null &&
    read.status === "IN_PROGRESS" &&
    read.workflowInstanceId === polled.workflowInstanceId &&
    read.retryCount === polled.retryCount &&
    read.scheduledTime === polled.scheduledTime &&
    read.pollCount === polled.pollCount &&
    read.workerId === polled.workerId;
  return { kind: "checked", current, status: read?.status ?? "unknown" };
}

async function reporting(args: readonly unknown[], folder: string | undefined): Promise<Fact> {
  const [{ status, reasonForIncompletion: reason, outputJson }] = reportArgs.parse(args);
  const ref = outputJson === undefined ? undefined : output.parse(JSON.parse(outputJson)).workspace.ref;
  return {
    kind: "reporting",
    status,
    ...(ref === undefined ? {} : { ref }),
    ...(reason === undefined ? {} : { reason }),
    ...(folder === undefined ? {} : { files: await readFolder(folder) }),
  };
}

/** MD5 of each file, by its path: lakeFS' own checksum of a small object. */
async function readFolder(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = files.map(async (file) => {
    const digest = createHash("md5")
      .update(await readFile(file))
      .digest("hex");
    return [relative(folder, file), digest] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
