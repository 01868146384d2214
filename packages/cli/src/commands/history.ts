import { writeFile } from "node:fs/promises";
import path from "node:path";
import { MAX_WALKED_COMMITS, type FenceCommit } from "@perago/fence";
import type { LakefsClient } from "@perago/lakefs-sync";
import { CommandError } from "../command-error.ts";
import { lakefsSettings, withLakefs } from "../connect.ts";
import type { CommandContext } from "../context.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { renderPage } from "../history/page.ts";
import { reportOf } from "../history/report.ts";
import { labelled, oneLine } from "../output/finding-lines.ts";
import { historyLines } from "../output/history-lines.ts";

/** Arguments of `perago history`. */
export interface HistoryArguments {
  readonly repository: string;
  readonly branch: string;
  /** Full commit id or its first 8 digits or more (rule I4). */
  readonly input?: string;
  /** A logical task's key. */
  readonly task?: string;
  readonly limit: number;
  /** Where the page goes. */
  readonly html?: string;
  readonly dotenv?: string;
  readonly json: boolean;
}

/**
 * Shows the target's first-parent log as the publish fence reads it, and what an input ref would meet. Reads only. 1
 * where an input ref was asked about and every verdict refuses it.
 */
export async function history(context: CommandContext, args: HistoryArguments): Promise<ExitCode> {
  const settings = lakefsSettings(context, args.dotenv === undefined ? {} : { dotenv: args.dotenv });
  const report = await withLakefs(context, settings.lakefs, async (client) => {
    const { repository, branch, task, limit } = args;
    const { commit_id: head } = await client.getBranch(repository, branch);
    const inputRef = args.input === undefined ? undefined : await resolveInput(client, repository, args.input);
    const commits = await readLog(client, args, head, inputRef);
    return reportOf({
      repository,
      branch,
      head,
      commits,
      limit,
      ...(inputRef === undefined ? {} : { inputRef }),
      ...(task === undefined ? {} : { logicalTaskKey: task }),
    });
  });
  if (args.html !== undefined) await writePage(context, args.html, renderPage(report));
  if (args.json) context.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  else if (args.html === undefined) context.stdout.write(historyLines(context.stdout, report));
  const refused = report.verdicts?.every(({ accepted }) => !accepted) ?? false;
  return refused ? EXIT.bad : EXIT.ok;
}

/** Rule P6: by the id of the head. With an input ref, down to it as far as the fence walks. */
async function readLog(
  client: LakefsClient,
  { repository, limit }: HistoryArguments,
  head: string,
  inputRef: string | undefined,
): Promise<FenceCommit[]> {
  const maxCommitCount = inputRef === undefined ? limit + 1 : MAX_WALKED_COMMITS + 1;
  const filter = { firstParent: true, maxCommitCount, ...(inputRef === undefined ? {} : { stopAt: inputRef }) };
  const commits: FenceCommit[] = [];
  for await (const page of client.logCommits(repository, head, filter)) {
    for (const { creation_date, ...commit } of page) commits.push({ ...commit, creationDate: creation_date });
  }
  return commits;
}

/** Rule I4: lakeFS takes branch names here too. */
async function resolveInput(client: LakefsClient, repository: string, input: string): Promise<string> {
  const { id } = await client.getCommit(repository, input);
  if (id.startsWith(input)) return id;
  const message = `--input ${oneLine(input)} is no commit of ${repository}`;
  throw new CommandError({ exitCode: EXIT.usage, code: "ref_invalid", message, hint: "Pass the id of a commit." });
}

async function writePage({ folder, stdout, stderr }: CommandContext, file: string, page: string): Promise<void> {
  try {
    await writeFile(path.resolve(folder, file), page);
    stderr.write(labelled(stdout, "ok", `written: ${oneLine(file)}`));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unwritable";
    const message = `${oneLine(file)} cannot be written: ${code}`;
    throw new CommandError({ exitCode: EXIT.usage, code: "path_unusable", message, hint: "Name a file that can." });
  }
}
