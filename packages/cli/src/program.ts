import { Command, CommanderError } from "commander";
import { z } from "zod";
import type { CheckArguments } from "./commands/check.ts";
import type { DevArguments } from "./commands/dev.ts";
import type { ExtractArguments } from "./commands/extract.ts";
import type { FenceInstallArguments } from "./commands/fence-install.ts";
import type { FenceVerifyArguments } from "./commands/fence-verify.ts";
import type { HistoryArguments } from "./commands/history.ts";
import type { RegisterArguments } from "./commands/register.ts";
import type { RunArguments } from "./commands/run.ts";
import type { StartArguments } from "./commands/start.ts";
import type { SweepArguments } from "./commands/sweep.ts";
import type { CommandContext } from "./context.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { parseLakefsAddress } from "./lakefs-address.ts";

/** What the arguments ask for. */
export type Request =
  | ({ readonly command: "check" } & CheckArguments)
  | ({ readonly command: "extract" } & ExtractArguments)
  | ({ readonly command: "register" } & RegisterArguments)
  | ({ readonly command: "start" } & StartArguments)
  | ({ readonly command: "run" } & RunArguments)
  | ({ readonly command: "dev" } & DevArguments)
  | ({ readonly command: "sweep" } & SweepArguments)
  | ({ readonly command: "history" } & HistoryArguments)
  | ({ readonly command: "fence install" } & FenceInstallArguments)
  | ({ readonly command: "fence verify" } & FenceVerifyArguments)
  /** Help, the version or a usage error has been written already. */
  | { readonly command: "done"; readonly exitCode: ExitCode };

const MAX_PORT = 65_535;
const text = z.string().optional();
const checkOptions = z.object({ json: z.boolean().default(false) });
const extractOptions = checkOptions.extend({ output: text, check: text, dotenv: text });
const registerOptions = checkOptions.extend({ dryRun: z.boolean().default(false), dotenv: text });
const runOptions = checkOptions.extend({
  task: text,
  params: z.string(),
  workspace: text,
  copy: z.boolean().default(false),
});
const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .refine((value) => value <= MAX_PORT)
  .default(0);
const devOptions = checkOptions.extend({
  ephemeral: z.boolean().default(false),
  jobs: text,
  lakefsPort: port,
  conductorPort: port,
});
const sweepOptions = checkOptions.extend({ dryRun: z.boolean().default(false), ttl: text, dotenv: text });
const MAX_SHOWN_COMMITS = 10_000;
const fenceVerifyOptions = checkOptions.extend({ dotenv: text });
const fenceInstallOptions = fenceVerifyOptions.extend({
  exclusive: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  force: z.boolean().default(false),
});
const historyOptions = checkOptions.extend({
  input: z
    .string()
    .regex(/^[0-9a-f]{8,64}$/)
    .optional(),
  task: text,
  limit: z
    .string()
    .regex(/^[1-9]\d{0,4}$/)
    .transform(Number)
    .refine((value) => value <= MAX_SHOWN_COMMITS)
    .default(50),
  html: text,
  dotenv: text,
});
const startOptions = checkOptions.extend({
  jobs: text,
  slots: z.array(z.string()).default([]),
  domain: text,
  dotenv: text,
  workerIdPrefix: text,
  workspaceRoot: text,
  logRoot: text,
});

/**
 * Reads the arguments (without node and script). Help and the version go to stdout, usage errors (exit code 2) to
 * stderr.
 */
export function parseArguments(
  argv: readonly string[],
  version: string,
  context: Pick<CommandContext, "stdout" | "stderr">,
): Request {
  let request: Request | undefined;
  const program = makeProgram(version, context, (made) => (request = made));
  try {
    if (argv.length === 0) program.help({ error: true });
    program.parse(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // commander ends help and version with 0 and everything else with 1.
    return { command: "done", exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage };
  }
  return request ?? { command: "done", exitCode: EXIT.usage };
}

function makeProgram(
  version: string,
  { stdout, stderr }: Pick<CommandContext, "stdout" | "stderr">,
  choose: (request: Request) => void,
): Command {
  const program = new Command("perago")
    .description("Typed TypeScript tasks for Conductor on versioned lakeFS workspaces.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .exitOverride()
    .showHelpAfterError("(perago --help, or perago <command> --help, lists what there is)")
    .configureOutput({
      writeOut: (line) => stdout.write(line),
      writeErr: (line) => stderr.write(line),
      outputError: (line, write) => write(stderr.paint("error", line)),
    });
  addCheck(program, choose);
  addExtract(program, choose);
  addRegister(program, choose);
  addStart(program, choose);
  addRun(program, choose);
  addDev(program, choose);
  addSweep(program, choose);
  addHistory(program, choose);
  addFence(program, choose);
  return program;
}

type Choose = (request: Request) => void;

const MODULES = "<modules...>";
const MODULES_TEXT = "task modules: .ts, .mts, .mjs or .js";
const JSON_TEXT = "print the result as JSON";
const ENV_FILE_TEXT = "read settings from this file instead of .env; the environment wins";

function addCheck(program: Command, choose: Choose): void {
  program
    .command("check")
    .description("List everything that is wrong or doubtful with task modules. Opens no connection.")
    .argument(MODULES, MODULES_TEXT)
    .option("--json", JSON_TEXT)
    .action((modules: string[], options: unknown) => {
      choose({ command: "check", modules, ...checkOptions.parse(options) });
    });
}

function addExtract(program: Command, choose: Choose): void {
  program
    .command("extract")
    .description("Print the Conductor TaskDefs of task modules as JSON.")
    .argument(MODULES, MODULES_TEXT)
    .option("-o, --output <path>", "write to this file; to <task>.json each where it is a folder or ends in a slash")
    .option("--check <path>", "compare with this file or folder, or with Conductor where it is `server`; write nothing")
    .option("--dotenv <file>", ENV_FILE_TEXT)
    .option("--json", JSON_TEXT)
    .action((modules: string[], options: unknown, command: Command) => {
      const { output, check, dotenv, json } = extractOptions.parse(options);
      if (output !== undefined && check !== undefined) command.error("error: -o and --check exclude each other");
      if (output === "" || check === "") command.error("error: -o and --check need a path");
      choose({
        command: "extract",
        modules,
        json,
        ...(output === undefined ? {} : { output }),
        ...(check === undefined ? {} : { check }),
        ...(dotenv === undefined ? {} : { dotenv }),
      });
    });
}

function addRegister(program: Command, choose: Choose): void {
  program
    .command("register")
    .description("Write the TaskDefs to Conductor where they differ; fields that the code does not own stay.")
    .argument(MODULES, MODULES_TEXT)
    .option("--dry-run", "show the differences and write nothing")
    .option("--dotenv <file>", ENV_FILE_TEXT)
    .option("--json", JSON_TEXT)
    .action((modules: string[], options: unknown) => {
      const { dotenv, ...rest } = registerOptions.parse(options);
      choose({ command: "register", modules, ...rest, ...(dotenv === undefined ? {} : { dotenv }) });
    });
}

function addStart(program: Command, choose: Choose): void {
  program
    .command("start")
    .description("Run the tasks: poll Conductor until SIGTERM or SIGINT, then finish what runs.")
    .argument(MODULES, MODULES_TEXT)
    .option("-j, --jobs <n>", "slots of each task (default: 1)")
    .option(
      "--slots <task=n>",
      "slots of one task; may be repeated",
      (value, before: string[]) => [...before, value],
      [],
    )
    .option("--domain <name>", "task domain of all tasks")
    .option("--dotenv <file>", ENV_FILE_TEXT)
    .option("--worker-id-prefix <prefix>", "PERAGO_WORKER_ID_PREFIX")
    .option("--workspace-root <folder>", "PERAGO_WORKSPACE_ROOT")
    .option("--log-root <folder>", "PERAGO_LOG_ROOT")
    .option("--json", "print one line of JSON when the host polls: its event is `ready`")
    .action((modules: string[], options: unknown) => {
      const { json, slots, ...rest } = startOptions.parse(options);
      choose({ command: "start", modules, json, slots, flags: withoutUndefined(rest) });
    });
}

function addRun(program: Command, choose: Choose): void {
  program
    .command("run")
    .description("Run one body on a local folder with its guardrails. Needs no server and publishes nothing.")
    .argument("<module>", "task module: .ts, .mts, .mjs or .js")
    .option("--task <name>", "the task, where the module has several")
    .option("--params <json>", "the task's params as a JSON object", "{}")
    .option("--workspace <folder>", "the folder to work on; a writable task changes it in place")
    .option("--copy", "work on a copy of the folder, which stays")
    .option("--json", JSON_TEXT)
    .action((module: string, options: unknown) => {
      const { task, workspace, ...rest } = runOptions.parse(options);
      choose({
        command: "run",
        module,
        ...rest,
        ...(task === undefined ? {} : { task }),
        ...(workspace === undefined ? {} : { workspace }),
      });
    });
}

function addDev(program: Command, choose: Choose): void {
  program
    .command("dev")
    .description("Run embedded servers and a host with a live log; a changed module is taken up. For development.")
    .argument("[modules...]", MODULES_TEXT)
    .option("-j, --jobs <n>", "slots of each task (default: 1)")
    .option("--ephemeral", "keep all state in a temporary folder that is removed at the end, not in .perago")
    .option("--lakefs-port <n>", "port of the lakeFS part (default: a free one)")
    .option("--conductor-port <n>", "port of the Conductor part (default: a free one)")
    .option("--json", "print one line of JSON when all runs: its event is `ready`")
    .action((modules: string[], options: unknown, command: Command) => {
      const parsed = devOptions.safeParse(options);
      if (!parsed.success) return command.error(`error: a port is a number from 0 to ${MAX_PORT}`);
      const { jobs, ...rest } = parsed.data;
      choose({ command: "dev", modules, ...rest, ...(jobs === undefined ? {} : { jobs }) });
    });
}

function addSweep(program: Command, choose: Choose): void {
  program
    .command("sweep")
    .description("Remove abandoned staging branches of a repository, and say what each one held.")
    .argument("<repository>", "lakefs://<repository>")
    .option("--dry-run", "say what would be removed, and remove nothing")
    .option("--ttl <duration>", "PERAGO_BRANCH_GC_TTL: age at which a branch is abandoned, at least 1h (default: 7d)")
    .option("--dotenv <file>", ENV_FILE_TEXT)
    .option("--json", JSON_TEXT)
    .action((address: string, options: unknown, command: Command) => {
      const parsed = parseLakefsAddress(address);
      if (parsed === undefined || parsed.branch !== undefined) {
        return command.error("error: a repository is written lakefs://<repository>");
      }
      const { ttl, dotenv, ...rest } = sweepOptions.parse(options);
      const { repository } = parsed;
      choose({ command: "sweep", repository, ...rest, ...withoutUndefined({ ttl, dotenv }) });
    });
}

const TARGET = "<target>";
const TARGET_TEXT = "lakefs://<repository>/<branch>";

/** Repository and branch, or a usage error. */
function targetOf(address: string, command: Command): { readonly repository: string; readonly branch: string } {
  const { repository, branch } = parseLakefsAddress(address) ?? {};
  if (repository !== undefined && branch !== undefined) return { repository, branch };
  return command.error(`error: a target is written ${TARGET_TEXT}`);
}

function addFence(program: Command, choose: Choose): void {
  const fence = program
    .command("fence")
    .description("The hard fence of a target: lakeFS refuses a merge onto an unexpected head.");
  fence
    .command("install")
    .description("Put the hard fence on a target by a merge, and look whether it holds.")
    .argument(TARGET, TARGET_TEXT)
    .option("--exclusive", "also refuse what people merge, commit, revert or cherry-pick onto the target")
    .option("--dry-run", "show the action and write nothing")
    .option("--force", "replace an action that somebody edited, or that a later version made")
    .option("--dotenv <file>", ENV_FILE_TEXT)
    .option("--json", JSON_TEXT)
    .action((address: string, options: unknown, command: Command) => {
      const { dotenv, ...rest } = fenceInstallOptions.parse(options);
      const target = targetOf(address, command);
      choose({ command: "fence install", ...target, ...rest, ...(dotenv === undefined ? {} : { dotenv }) });
    });
  fence
    .command("verify")
    .description("Say whether the hard fence is there, unchanged and obeyed, and the branch protected.")
    .argument(TARGET, TARGET_TEXT)
    .option("--dotenv <file>", ENV_FILE_TEXT)
    .option("--json", JSON_TEXT)
    .action((address: string, options: unknown, command: Command) => {
      const { dotenv, json } = fenceVerifyOptions.parse(options);
      const target = targetOf(address, command);
      choose({ command: "fence verify", ...target, json, ...(dotenv === undefined ? {} : { dotenv }) });
    });
}

function addHistory(program: Command, choose: Choose): void {
  program
    .command("history")
    .description("Show a target's first-parent log as the publish fence reads it. Reads only.")
    .argument(TARGET, TARGET_TEXT)
    .option("--input <ref>", "say why this input commit would be accepted or refused now")
    .option("--task <key>", "as the logical task with this key sees it")
    .option("--limit <n>", `commits to show, at most ${MAX_SHOWN_COMMITS} (default: 50)`)
    .option("--html <file>", "write one page that needs no network and no script")
    .option("--dotenv <file>", ENV_FILE_TEXT)
    .option("--json", JSON_TEXT)
    .action((address: string, options: unknown, command: Command) => {
      const { repository, branch } = targetOf(address, command);
      const parsed = historyOptions.safeParse(options);
      if (!parsed.success) {
        const says = `--input is 8 to 64 hexadecimal digits, --limit a number from 1 to ${MAX_SHOWN_COMMITS}`;
        return command.error(`error: ${says}`);
      }
      const { limit, json, ...rest } = parsed.data;
      choose({ command: "history", repository, branch, limit, json, ...withoutUndefined(rest) });
    });
}

function withoutUndefined(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
