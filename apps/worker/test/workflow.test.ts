import { expect, test } from "vitest";

import catalogReport from "../src/tasks/catalog-report.ts";
import featuresBuild from "../src/tasks/features-build.ts";
import metadataValidate from "../src/tasks/metadata-validate.ts";
import { songsWorkflow } from "../src/workflow.ts";

const EXPRESSION = /\$\{([a-z]+)\.([a-z]+)\.([\w.]+)\}/g;

test("the workflow runs exactly the tasks of this application, in order", () => {
  const names = [metadataValidate.name, featuresBuild.name, catalogReport.name];
  expect(songsWorkflow.tasks.map((task) => task.name)).toEqual(names);
});

test("every task gets the params that it declares, and a workspace where it declares one (rule I1)", () => {
  const tasks = [metadataValidate, featuresBuild, catalogReport];
  const wanted = tasks.map((task) => ({
    params: Object.keys(task.params.shape).toSorted(),
    workspace: task.workspace === undefined ? undefined : ["branch", "ref", "refType", "repository"],
  }));
  const given = songsWorkflow.tasks.map(({ inputParameters = {} }) => ({
    params: keys(inputParameters["params"]),
    workspace: inputParameters["workspace"] === undefined ? undefined : keys(inputParameters["workspace"]),
  }));
  expect(given).toEqual(wanted);
});

test("every expression names an input of the workflow or an output of an earlier task", () => {
  const inputs = songsWorkflow.inputParameters ?? [];
  const unknown: string[] = [];
  const earlier: string[] = [];
  const collect = (value: unknown): void => {
    for (const [text, source = "", side = "", path = ""] of JSON.stringify(value).matchAll(EXPRESSION)) {
      const isInput = source === "workflow" && side === "input" && inputs.includes(path);
      if (!isInput && !(earlier.includes(source) && side === "output")) unknown.push(text);
    }
  };
  for (const task of songsWorkflow.tasks) {
    collect(task.inputParameters);
    earlier.push(task.taskReferenceName ?? "");
  }
  collect(songsWorkflow.outputParameters);
  expect(unknown).toEqual([]);
});

test("the report reads the commit that the build published", () => {
  const report = songsWorkflow.tasks.find((task) => task.taskReferenceName === "report");
  expect(report?.inputParameters).toMatchObject({
    workspace: { refType: "commit", ref: "${build.output.workspace.ref}" },
  });
});

function keys(value: unknown): string[] {
  return typeof value === "object" && value !== null ? Object.keys(value).toSorted() : [];
}
