import { createBranchStore, openSweepMemory, sweepBranches, systemClock, type SweptBranch } from "@perago/worker";
import { lakefsSettings, withLakefs } from "../connect.ts";
import type { CommandContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { branchLines } from "../output/branch-lines.ts";
import { labelled, oneLine } from "../output/finding-lines.ts";
import { signalExitCode, type Signals } from "../signals.ts";

/** Arguments of `perago sweep`. */
export interface SweepArguments {
  readonly repository: string;
  readonly dryRun: boolean;
  /** As typed; before PERAGO_BRANCH_GC_TTL. */
  readonly ttl?: string;
  readonly dotenv?: string;
  readonly json: boolean;
}

/**
 * Removes the abandoned staging branches of one repository (rule X3) and tells of each one looked at: 0, or 3 where one
 * could not be removed. A signal ends it after the branch that it is at. It is no host and holds no branch: what runs
 * is kept by the TTL alone.
 */
export async function sweep(context: CommandContext, args: SweepArguments, signals: Signals): Promise<number> {
  const overrides = args.ttl === undefined ? {} : { PERAGO_BRANCH_GC_TTL: { flag: "--ttl", value: args.ttl } };
  const settings = lakefsSettings(context, { ...(args.dotenv ? { dotenv: args.dotenv } : {}), overrides });
  const ending = new AbortController();
  let exitCode: number = EXIT.ok;
  signals.handle((signal) => {
    exitCode = signalExitCode(signal);
    ending.abort();
  });
  const branches = new Map<string, SweptBranch>();
  const report = await withLakefs(context, settings.lakefs, (client) =>
    sweepBranches({
      store: createBranchStore(client),
      repository: args.repository,
      ttlMs: settings.branchGcTtlMs,
      isHeld: () => false,
      memory: openSweepMemory(settings.workspaceRoot, settings.lakefs.endpointUrl),
      dryRun: args.dryRun,
      clock: systemClock,
      signal: ending.signal,
      // Of one that could not be removed the second word counts.
      onBranch: (branch) => branches.set(branch.name, { ...branches.get(branch.name), ...branch }),
    }),
  );
  if (args.json) writeJson(context, args, settings.branchGcTtlMs, [...branches.values()], report);
  else {
    for (const branch of branches.values()) context.stdout.write(branchLines(context.stdout, branch));
    tellEnd(context, args, report);
  }
  return exitCode === EXIT.ok && report.failedCount > 0 ? EXIT.server : exitCode;
}

type Report = Awaited<ReturnType<typeof sweepBranches>>;

function writeJson(
  { stdout }: CommandContext,
  { repository, dryRun }: SweepArguments,
  ttlMs: number,
  branches: readonly SweptBranch[],
  report: Report,
): void {
  const shown = branches.map(({ name, commitId, outcome, why, ageMs, content, error }) => ({
    name,
    commit: commitId,
    outcome: outcome === "removing" ? "removed" : outcome,
    why,
    ageSeconds: ageMs === undefined ? undefined : Math.floor(ageMs / 1000),
    content,
    error: error instanceof Error ? error.message : undefined,
  }));
  const { removedCount, keptCount, failedCount, isCut } = report;
  const counts = { removed: dryRun ? 0 : removedCount, kept: keptCount, failed: failedCount, isCut };
  stdout.write(
    `${JSON.stringify({ repository, dryRun, ttlSeconds: ttlMs / 1000, ...counts, branches: shown }, null, 2)}\n`,
  );
}

function tellEnd({ stdout }: CommandContext, { repository, dryRun }: SweepArguments, report: Report): void {
  const { removedCount, keptCount, failedCount, isCut } = report;
  const removed = dryRun ? `${removedCount} would be removed` : `${removedCount} removed`;
  const failed = failedCount === 0 ? "" : `, ${failedCount} could not be removed`;
  const text = `${oneLine(repository)}: ${removed}, ${keptCount} kept${failed}`;
  const under = isCut ? ["there are more; run it again"] : [];
  stdout.write(labelled(stdout, failedCount === 0 ? "ok" : "warning", text, under));
}
