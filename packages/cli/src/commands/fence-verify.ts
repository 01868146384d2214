import { lakefsSettings, withLakefs } from "../connect.ts";
import type { CommandContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { lookAtTarget, targetFindings, type FencedTarget } from "../fence/target.ts";
import type { Finding } from "../findings.ts";
import { findingLines, labelled } from "../output/finding-lines.ts";

/** Arguments of `perago fence verify`. */
export interface FenceVerifyArguments {
  readonly repository: string;
  readonly branch: string;
  readonly dotenv?: string;
  readonly json: boolean;
}

/**
 * Says whether the hard fence of a target is in force, unchanged and obeyed by the server, and whether the branch is
 * protected. 1 where something is wrong. The target is not touched: the server is tried on a throw-away branch.
 */
export async function fenceVerify(context: CommandContext, args: FenceVerifyArguments): Promise<ExitCode> {
  const settings = lakefsSettings(context, args.dotenv === undefined ? {} : { dotenv: args.dotenv });
  const target = await withLakefs(context, settings.lakefs, (client) =>
    lookAtTarget(client, args.repository, args.branch),
  );
  return tellTarget(context, target, args.json);
}

/** Prints what was found; 1 where an error is among it. */
export function tellTarget(
  { stdout }: CommandContext,
  target: FencedTarget,
  json: boolean,
  more: object = {},
): ExitCode {
  const findings = targetFindings(target);
  if (json) {
    const { repository, branch, head, state, isEnforced = null, isProtected = null } = target;
    const report = { repository, branch, head, hardFence: state, isEnforced, isProtected, findings, ...more };
    stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  } else stdout.write(targetLines(stdout, target, findings));
  return findings.some(({ severity }) => severity === "error") ? EXIT.bad : EXIT.ok;
}

function targetLines(stdout: CommandContext["stdout"], target: FencedTarget, findings: readonly Finding[]): string {
  const { repository, branch, head, state, isEnforced } = target;
  const name = stdout.paint("name", `lakefs://${repository}/${branch}`);
  const holds = isEnforced === true && (state.kind === "in_force" || state.kind === "older");
  const kind = holds ? `version ${state.version}${state.exclusive ? ", exclusive" : ""}` : "";
  const ok = holds
    ? labelled(stdout, "ok", `${name}  the hard fence is in force (${kind})`, [
        `lakeFS refuses a merge onto an unexpected head; tried on a throw-away branch from ${head}`,
      ])
    : "";
  return (
    ok + findings.map((finding) => findingLines(stdout, { ...finding, setting: `${repository}/${branch}` })).join("")
  );
}
