import type { Commit, LakefsClient } from "@perago/lakefs-sync";
import { normalizePrefix } from "@perago/taskdef";
import type { ConductorClient, TaskDescription } from "@perago/worker";
import { startWorkflow, untilEnded, type EngineTask } from "./engine.ts";
import { TestingError } from "./errors.ts";
import { toFileBytes, type FileBytes, type Files } from "./files.ts";
import { commitFiles, ensureBranch, headOf, historySince, readTree, REPOSITORY } from "./target.ts";

/** What an attempt is started with. */
export interface AttemptOptions {
  /** Name of the task, where the bench has several. */
  readonly task?: string;
  readonly params: unknown;
  /** Committed below the task's prefix before the start; the commit is the input ref. */
  readonly files?: Files;
  /** The input ref instead: a commit id. Default: the target's head. */
  readonly ref?: string;
  /** The target. Default: a new branch for each attempt. Made from `main` where it is missing. */
  readonly branch?: string;
}

/** What became of the task, and of its target. */
export interface AttemptRun {
  /** Of the newest attempt: `COMPLETED`, `FAILED`, `FAILED_WITH_TERMINAL_ERROR`, `TIMED_OUT`, `CANCELED`. */
  readonly status: string;
  /** What the body returned, where it completed. */
  readonly result: unknown;
  /** The published commit (the input ref of a read-only task or a no-op), where it completed with a workspace. */
  readonly ref: string | undefined;
  /** As Conductor shows it: code, thing, mend. */
  readonly reason: string | undefined;
  /** The reason's code (rule R7). */
  readonly code: string | undefined;
  readonly workflowId: string;
  /** Target and input ref; empty without a workspace. */
  readonly branch: string;
  readonly inputRef: string;
  /** All attempts of the step, oldest first. */
  readonly attempts: readonly EngineTask[];
  /** First parents of the target since the input ref, newest first. */
  readonly history: readonly Commit[];
  /** The target's head below the task's prefix. */
  readonly files: FileBytes;
}

/** An attempt under way. */
export interface StartedAttempt {
  readonly workflowId: string;
  readonly branch: string;
  readonly inputRef: string;
  /** Waits for the workflow's end, at most `timeoutMs` (default 20,000). Throws a TestingError after that. */
  ended(timeoutMs?: number): Promise<AttemptRun>;
}

/** The servers' side of one bench. */
export interface AttemptPlace {
  readonly conductor: ConductorClient;
  readonly lakefs: LakefsClient;
  /** A name for a branch that no attempt has had. */
  newBranch(): string;
}

const ENDED_TIMEOUT_MS = 20_000;

/** Starts the one-step workflow of a task. */
export async function startAttempt(
  place: AttemptPlace,
  task: TaskDescription,
  options: AttemptOptions,
): Promise<StartedAttempt> {
  const { workspace } = task;
  const { params } = options;
  if (workspace === undefined) {
    if (options.files !== undefined || options.ref !== undefined || options.branch !== undefined) {
      const hint = "Leave out `files`, `ref` and `branch`.";
      throw new TestingError("files_refused", `${task.name} has no workspace`, hint);
    }
    const workflowId = await startWorkflow(place.conductor, task.name, { params });
    return started(place, { workflowId, branch: "", inputRef: "", prefix: undefined });
  }
  const prefix = normalizePrefix(workspace.prefix);
  const branch = options.branch ?? place.newBranch();
  const inputRef = await prepareInput(place.lakefs, { branch, prefix, files: options.files, ref: options.ref });
  const input = { workspace: { repository: REPOSITORY, branch, refType: "commit", ref: inputRef }, params };
  const workflowId = await startWorkflow(place.conductor, task.name, input);
  return started(place, { workflowId, branch, inputRef, prefix });
}

interface Input {
  readonly branch: string;
  readonly prefix: string;
  readonly files: Files | undefined;
  readonly ref: string | undefined;
}

async function prepareInput(lakefs: LakefsClient, { branch, prefix, files, ref }: Input): Promise<string> {
  const head = await ensureBranch(lakefs, branch);
  if (files !== undefined && ref !== undefined) {
    throw new TestingError("files_refused", "both `files` and `ref` say what the input is", "Leave one of them out.");
  }
  if (files === undefined) return ref ?? head;
  const keyed = Object.fromEntries(Object.entries(files).map(([name, content]) => [`${prefix}${name}`, content]));
  return await commitFiles(lakefs, branch, keyed, "input of a test");
}

interface Run {
  readonly workflowId: string;
  readonly branch: string;
  readonly inputRef: string;
  /** Undefined without a workspace. */
  readonly prefix: string | undefined;
}

function started({ conductor, lakefs }: AttemptPlace, run: Run): StartedAttempt {
  const { workflowId, branch, inputRef, prefix } = run;
  return {
    workflowId,
    branch,
    inputRef,
    async ended(timeoutMs = ENDED_TIMEOUT_MS) {
      const { tasks } = await untilEnded(conductor, workflowId, timeoutMs);
      const last = tasks.at(-1);
      const reason = last?.reasonForIncompletion ?? undefined;
      const isCompleted = last?.status === "COMPLETED";
      return {
        status: last?.status ?? "NOT_SCHEDULED",
        result: isCompleted ? last.outputData["result"] : undefined,
        ref: isCompleted ? refOf(last) : undefined,
        reason: isCompleted ? undefined : reason,
        code: isCompleted ? undefined : reason?.match(/^[a-z_]+(?=:)/)?.[0],
        workflowId,
        branch,
        inputRef,
        attempts: tasks,
        history: prefix === undefined ? [] : await historySince(lakefs, branch, inputRef),
        files: prefix === undefined ? toFileBytes([]) : await readTree(lakefs, await headOf(lakefs, branch), prefix),
      };
    },
  };
}

function refOf({ outputData }: EngineTask): string | undefined {
  const workspace = outputData["workspace"];
  if (typeof workspace !== "object" || workspace === null || !("ref" in workspace)) return undefined;
  return typeof workspace.ref === "string" ? workspace.ref : undefined;
}
