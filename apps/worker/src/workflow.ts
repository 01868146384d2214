import { simpleTask, workflow, type WorkflowDef } from "@io-orkes/conductor-javascript";

/** Name of the sample workflow. */
export const WORKFLOW_NAME = "songs.publish";

/** What the workflow is started with. */
export interface WorkflowInput {
  readonly repository: string;
  /** The branch that features are published to. */
  readonly branch: string;
  /** Commit id to start from: the branch's head. */
  readonly ref: string;
  readonly featureSet: string;
  /** Catalog entries to validate; the build wants at least as many songs as are accepted. */
  readonly songs: readonly unknown[];
}

/** A workspace as task input (rule I1), with the ref of the workflow's input or of an earlier task's output. */
function workspaceAt(ref: string) {
  return {
    repository: "${workflow.input.repository}",
    branch: "${workflow.input.branch}",
    refType: "commit",
    ref,
  };
}

/**
 * metadata.validate -> features.build -> catalog.report. The report reads the commit that the build published:
 * refs travel from output to input, never by branch name.
 */
export const songsWorkflow: WorkflowDef = {
  ...workflow(WORKFLOW_NAME, [
    simpleTask("validate", "metadata.validate", { params: { songs: "${workflow.input.songs}" } }),
    simpleTask("build", "features.build", {
      workspace: workspaceAt("${workflow.input.ref}"),
      params: {
        featureSet: "${workflow.input.featureSet}",
        minSongs: "${validate.output.result.acceptedCount}",
      },
    }),
    simpleTask("report", "catalog.report", {
      workspace: workspaceAt("${build.output.workspace.ref}"),
      params: {},
    }),
  ]),
  description: "Validates the catalog, builds and publishes the features of all songs, reports on them.",
  ownerEmail: "data@example.com",
  inputParameters: ["repository", "branch", "ref", "featureSet", "songs"],
  outputParameters: {
    ref: "${build.output.workspace.ref}",
    validation: "${validate.output.result}",
    build: "${build.output.result}",
    report: "${report.output.result}",
  },
  schemaVersion: 2,
  timeoutPolicy: "ALERT_ONLY",
};
