import { hardFenceAction, type HardFenceState } from "@perago/fence/hard-fence";
import { readHardFence } from "@perago/worker";
import { CommandError } from "../command-error.ts";
import { lakefsSettings, withLakefs } from "../connect.ts";
import type { CommandContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { installHardFence } from "../fence/install.ts";
import { lookAtTarget } from "../fence/target.ts";
import { labelled } from "../output/finding-lines.ts";
import { tellTarget } from "./fence-verify.ts";

/** Arguments of `perago fence install`. */
export interface FenceInstallArguments {
  readonly repository: string;
  readonly branch: string;
  readonly exclusive: boolean;
  readonly dryRun: boolean;
  /** Replaces a text that somebody edited, or that a later version made. */
  readonly force: boolean;
  readonly dotenv?: string;
  readonly json: boolean;
}

/**
 * Puts the hard fence on a target by a merge, and then looks whether it holds, as `perago fence verify` does (rule H1).
 * Where the wanted text stands already nothing is written.
 */
export async function fenceInstall(context: CommandContext, args: FenceInstallArguments): Promise<ExitCode> {
  const { repository, branch, exclusive } = args;
  const settings = lakefsSettings(context, args.dotenv === undefined ? {} : { dotenv: args.dotenv });
  return await withLakefs(context, settings.lakefs, async (client) => {
    const { commit_id: head } = await client.getBranch(repository, branch);
    const state = await readHardFence(client, { repository, branch, commitId: head });
    const isWanted = state.kind === "in_force" && state.exclusive === exclusive;
    if (!isWanted) refuseForeignText(state, args);
    if (args.dryRun) return tellDryRun(context, args, { head, isWanted });
    if (!isWanted) {
      const installed = await installHardFence(client, { repository, branch, head, exclusive });
      if (!args.json) context.stdout.write(labelled(context.stdout, "ok", `installed by commit ${installed}`));
      context.stderr.write(labelled(context.stderr, "warning", REFUSED_WORKFLOWS));
    }
    const target = await lookAtTarget(client, repository, branch);
    return tellTarget(context, target, args.json, { dryRun: false, isChanged: !isWanted });
  });
}

/** To the fence of a running workflow the merge is a foreign commit (rule P3). */
const REFUSED_WORKFLOWS =
  "workflows that run now with an older input ref are refused (publish_fence): start them again from the new head";

/** What somebody else wrote is not overwritten unasked. */
function refuseForeignText({ kind }: HardFenceState, { repository, branch, force }: FenceInstallArguments): void {
  if (force || (kind !== "edited" && kind !== "newer")) return;
  const message = `the action on ${repository}/${branch} ${kind === "edited" ? "was edited" : "is of a later version"}`;
  const look = `lakectl fs cat lakefs://${repository}/${branch}/${hardFenceAction({ branch }).path}`;
  const hint =
    kind === "edited" ? `Look at it (${look}); --force replaces it` : "Update this command; --force replaces it";
  throw new CommandError({ exitCode: EXIT.bad, code: `hard_fence_${kind}`, message, hint });
}

function tellDryRun(
  { stdout }: CommandContext,
  { repository, branch, exclusive, json }: FenceInstallArguments,
  { head, isWanted }: { readonly head: string; readonly isWanted: boolean },
): ExitCode {
  const action = hardFenceAction({ branch, exclusive });
  if (json) {
    const report = { repository, branch, head, dryRun: true, wouldChange: !isWanted, ...action };
    stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  } else if (isWanted) stdout.write(labelled(stdout, "ok", `in force already on ${repository}/${branch}`));
  else {
    stdout.write(`would merge ${action.path} into ${repository}/${branch} at ${head}:\n\n${action.text}\n`);
    stdout.write(labelled(stdout, "warning", REFUSED_WORKFLOWS));
  }
  return EXIT.ok;
}
