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

/** Where another execution publishes. */
type Target = Pick<Stage, "repository" | "branch" | "input">;

/**
 * Publishes on the target as another execution of the task's logical task would: a squash merge with the metadata of a
 * confirm commit. Returns the commit id.
 */
export function publishAsAnother(target: Target, task: EngineTask, other: OtherDelivery, tree: Tree): Promise<string> {
  return publishRow(target, task, other, { tree, count: 1 });
}

/** The same `count` times, each on top of the one before; the last one's commit id. */
export async function publishRow(
  { repository, branch, input }: Target,
  task: EngineTask,
  { laterMs, taskId = task.taskId }: OtherDelivery,
  { tree, count }: { readonly tree: Tree; readonly count: number },
): Promise<string> {
  const { client, name } = repository;
  const stagingBranch = `other-${randomBytes(6).toString("hex")}`;
  let expectedHead = await repository.head(branch);
  await repository.createBranch(stagingBranch, expectedHead);
  const stagingCommit = await repository.commitTree(tree, stagingBranch);
  for (let index = 0; index < count; index += 1) {
    const metadata = encodeConfirmMetadata({
      logicalTaskKey: logicalTaskKey(task),
      taskId,
      retryCount: task.retryCount,
      inputRef: input,
      targetBranch: branch,
      prefix: "/work",
      stagingBranch,
      stagingCommit,
      expectedHead,
      supersedes: "",
      workflowInstanceId: task.workflowInstanceId,
      taskDefName: task.taskDefName,
      referenceTaskName: task.referenceTaskName,
      scheduledTime: task.scheduledTime + laterMs,
      workerId: "another-0001",
      writer: "ts/0.0.0",
    });
    const merge = { sourceRef: stagingCommit, destinationBranch: branch, message: "published by another", metadata };
    expectedHead = (await client.mergeIntoBranch(name, { ...merge, squashMerge: true, allowEmpty: true })).reference;
  }
  await client.deleteBranch(name, stagingBranch);
  return expectedHead;
}
