import { randomBytes } from "node:crypto";
import { encodeConfirmMetadata, logicalTaskKey } from "@perago/fence";
import type { EngineTask } from "../support/conductor.ts";
import type { Tree } from "../support/lakefs-repository.ts";
import type { Stage } from "./refusal.ts";

/** The deliveries that another execution of the same logical task could have. */
export interface OtherDelivery {
  /** Added to the task's scheduled time, milliseconds; 0 is the same delivery. */
  readonly laterMs: number;
  readonly taskId?: string;
}

/**
 * Publishes on the target as another execution of the task's logical task would: a squash merge with the metadata of a
 * confirm commit. Returns the commit id.
 */
export async function publishAsAnother(
  { repository, branch, input }: Pick<Stage, "repository" | "branch" | "input">,
  task: EngineTask,
  { laterMs, taskId = task.taskId }: OtherDelivery,
  tree: Tree,
): Promise<string> {
  const { client, name } = repository;
  const staging = `other-${randomBytes(6).toString("hex")}`;
  const head = await repository.head(branch);
  await repository.createBranch(staging, head);
  const stagingCommit = await repository.commitTree(tree, staging);
  const metadata = encodeConfirmMetadata({
    logicalTaskKey: logicalTaskKey(task),
    taskId,
    retryCount: task.retryCount,
    inputRef: input,
    targetBranch: branch,
    prefix: "/work",
    stagingBranch: staging,
    stagingCommit,
    expectedHead: head,
    supersedes: "",
    workflowInstanceId: task.workflowInstanceId,
    taskDefName: task.taskDefName,
    referenceTaskName: task.referenceTaskName,
    scheduledTime: task.scheduledTime + laterMs,
    workerId: "another-0001",
    writer: "ts/0.0.0",
  });
  const merge = { sourceRef: stagingCommit, destinationBranch: branch, message: "published by another", metadata };
  const { reference } = await client.mergeIntoBranch(name, { ...merge, squashMerge: true });
  await client.deleteBranch(name, staging);
  return reference;
}
