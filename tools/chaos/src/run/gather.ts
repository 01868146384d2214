import type { AuditedWorkflow, History, QuietTrial, Target } from "../audit/history.ts";
import { refOf } from "./engine.ts";
import { executionFolders } from "./host-process.ts";
import type { Scene } from "./scene.ts";

/** What the run knows beside what it asks the servers for. */
export interface Known {
  readonly fence: History["fence"];
  readonly targets: readonly { readonly repository: string; readonly branch: string; readonly start: string }[];
  readonly repositories: readonly string[];
  readonly quiet: readonly QuietTrial[];
  readonly isSwept: History["left"]["isSwept"];
}

/** Reads everything that an audit looks at: targets with their trees, workflows, what is left. */
export async function gatherHistory(scene: Scene, known: Known): Promise<History> {
  const { seen, recorder, hosts } = scene;
  const targets: Target[] = [];
  for (const target of known.targets) targets.push(await scene.lake.readTarget(target));
  const workflows: AuditedWorkflow[] = [];
  for (const { workflowId } of scene.workflows.values()) workflows.push(await readWorkflow(scene, workflowId));
  const branches: { repository: string; name: string }[] = [];
  for (const repository of known.repositories)
    branches.push(...(await scene.lake.branches(repository)).map((name) => ({ repository, name })));
  const folders = (await Promise.all(hosts.map(({ workspaceRoot }) => executionFolders(workspaceRoot)))).flat();
  const { foreignBranches, unended } = seen;
  return {
    fence: known.fence,
    targets,
    workflows,
    executions: recorder.all(),
    completions: [...seen.completions.values()],
    asked: seen.asked,
    seenCommits: seen.commits,
    quiet: known.quiet,
    left: { branches, foreignBranches, folders, isSwept: known.isSwept, unended },
  };
}

async function readWorkflow(scene: Scene, workflowId: string): Promise<AuditedWorkflow> {
  const live = scene.workflows.get(workflowId);
  const { status, tasks } = await scene.engine.workflow(workflowId);
  return {
    workflowId,
    repository: live?.repository ?? "",
    branch: live?.branch ?? "",
    status,
    tasks: tasks.map(({ taskId, status: taskStatus, scheduledTime, pollCount, outputData, reasonForIncompletion }) => {
      const ref = refOf(outputData);
      const reason = reasonForIncompletion ?? undefined;
      const common = { taskId, status: taskStatus, scheduledTime, pollCount };
      return { ...common, ...(ref === undefined ? {} : { ref }), ...(reason === undefined ? {} : { reason }) };
    }),
  };
}
