import type { ExecutionName } from "../host/messages.ts";

/** Everything that a chaos run left to look at from outside. Plain data: a test forges it. */
export interface History {
  readonly fence: "hard" | "soft";
  readonly targets: readonly Target[];
  readonly workflows: readonly AuditedWorkflow[];
  readonly executions: readonly Execution[];
  /** Outputs of tasks that were COMPLETED at some time, also where a rerun or restart took them away later. */
  readonly completions: readonly Completion[];
  readonly asked: readonly Asked[];
  /** Commits that were seen as a target's head or as published, at any time. */
  readonly seenCommits: readonly SeenCommit[];
  readonly quiet: readonly QuietTrial[];
  readonly left: LeftOver;
}

/** A target branch: its first parents, oldest first; the first one is where it started. */
export interface Target {
  readonly repository: string;
  readonly branch: string;
  readonly commits: readonly TargetCommit[];
}

/** One first parent of a target. */
export interface TargetCommit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAtSeconds: number;
  /** Files below the prefix, path to MD5. */
  readonly inside: Readonly<Record<string, string>>;
  /** One digest of everything else. */
  readonly outside: string;
}

/** A workflow as it ended. */
export interface AuditedWorkflow {
  readonly workflowId: string;
  readonly repository: string;
  readonly branch: string;
  readonly status: string;
  readonly tasks: readonly AuditedTask[];
}

/** One task of it, as the engine keeps it at the end. */
export interface AuditedTask {
  readonly taskId: string;
  readonly status: string;
  readonly scheduledTime: number;
  readonly pollCount: number;
  readonly ref?: string;
  readonly reason?: string;
}

/** What the controller saw of one execution. */
export interface Execution {
  readonly name: ExecutionName;
  readonly stagingBranch?: string;
  readonly stagingCommit?: string;
  /** Second checks in order, and how many merges had been sent by then (rule A2). */
  readonly checks: readonly { readonly current: boolean; readonly mergesBefore: number }[];
  readonly mergeCount: number;
  /** Commits that lakeFS said it had made. */
  readonly merged: readonly string[];
  /** A copy of the merge request was still on its way when the execution decided how to end. */
  readonly mergeOnItsWay: boolean;
  /** What was about to be reported, in order. */
  readonly reports: readonly ReportedResult[];
  readonly notes: readonly { readonly name: string; readonly message: string }[];
  /** `died`: its host was killed; `open`: nobody knows. */
  readonly end: "ended" | "died" | "open";
}

/** One result on its way to the engine. */
export interface ReportedResult {
  readonly status: string;
  readonly ref?: string | undefined;
  readonly reason?: string | undefined;
  /** The folder then: path below the prefix to MD5. */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

/** A COMPLETED output. */
export interface Completion {
  readonly workflowId: string;
  readonly repository: string;
  readonly branch: string;
  readonly logicalTaskKey: string;
  readonly taskId: string;
  readonly scheduledTime: number;
  readonly pollCount: number;
  readonly endTimeMs: number;
  readonly ref: string;
}

/** Somebody asked for a rerun, a restart or a retry. */
export interface Asked {
  readonly workflowId: string;
  readonly what: "rerun" | "restart" | "retry";
  /** Wall clock. */
  readonly atMs: number;
}

/** A commit that stood on a target once. */
export interface SeenCommit {
  readonly repository: string;
  readonly branch: string;
  readonly commit: string;
}

/** After all faults had stopped, somebody asked for one more run of a workflow (S13). */
export interface QuietTrial {
  readonly workflowId: string;
  readonly what: Asked["what"];
  readonly repository: string;
  readonly branch: string;
  /** Of the first step that runs again. */
  readonly logicalTaskKey: string;
  readonly inputRef: string;
  readonly headBefore: string;
  readonly statusAfter: string;
}

/** What is left when everything has ended. */
export interface LeftOver {
  readonly branches: readonly { readonly repository: string; readonly name: string }[];
  /** Branches that others had made. */
  readonly foreignBranches: readonly { readonly repository: string; readonly name: string }[];
  /** Folders of executions in workspace roots: execution ids. */
  readonly folders: readonly string[];
  /** Whether a sweep past the TTL came before. */
  readonly isSwept: { readonly branches: boolean; readonly folders: boolean };
  /** Workflows that did not end, and hosts that did not, in words. */
  readonly unended: readonly string[];
}
