import { join } from "node:path";

import { evaluateGuardrails, isTaskTerminalError } from "@perago/taskdef";
import { expect, test } from "vitest";

import catalogReport from "../src/tasks/catalog-report.ts";
import featuresBuild from "../src/tasks/features-build.ts";
import { dataWorkspace, put, snapshot, workspaceContextFor } from "./helpers.ts";

/** The repository as the report sees it after a build. */
async function builtRepository(): Promise<string> {
  const folder = await dataWorkspace(".");
  const params = { featureSet: "basic-1", minSongs: 6 };
  await featuresBuild.run(workspaceContextFor(join(folder, "audio/render"), params));
  return folder;
}

test("the task is declared without findings, and read-only", () => {
  expect(catalogReport.findings).toEqual([]);
  expect(catalogReport.workspace?.readOnly).toBe(true);
});

test("the report counts songs and seconds and names the loudest and the silent ones", async () => {
  const folder = await builtRepository();
  const before = await snapshot(folder);
  const result = await catalogReport.run(workspaceContextFor(folder, {}));
  expect(result).toEqual({
    songCount: 6,
    totalSeconds: 11,
    featureSets: ["basic-1"],
    loudestSong: { song: "night-train", title: "Night Train", rms: expect.closeTo(0.6 / Math.SQRT2, 3) },
    silentSongs: ["long-pause"],
    notInCatalog: [],
    withoutFeatures: [],
  });
  expect(catalogReport.output.parse(result)).toEqual(result);
  expect(await snapshot(folder)).toEqual(before);
});

test("songs that only the catalog or only the features know are named", async () => {
  const folder = await builtRepository();
  const songs = [
    { song: "harbour-lights", title: "Harbour Lights", artist: "Sine Wave Society" },
    { song: "lost-tape", title: "Lost Tape", artist: "Quiet Floor" },
  ];
  await put(folder, "catalog/songs.json", JSON.stringify(songs));
  const result = await catalogReport.run(workspaceContextFor(folder, {}));
  expect(result.withoutFeatures).toEqual(["lost-tape"]);
  expect(result.notInCatalog).toHaveLength(5);
  expect(result.loudestSong).toMatchObject({ song: "night-train", title: null });
});

test.each([
  ["audio/render/features/harbour-lights.json", "{", "features/harbour-lights.json is not a feature file"],
  ["audio/render/features/harbour-lights.json", "{}", "features/harbour-lights.json is not a feature file"],
  ["catalog/songs.json", "{}", "catalog/songs.json is not a JSON list of songs"],
])("a bad %s (%s) is a terminal failure that names it", async (path, content, message) => {
  const folder = await builtRepository();
  await put(folder, path, content);
  const failure = await Promise.resolve(catalogReport.run(workspaceContextFor(folder, {}))).catch(
    (error: unknown) => error,
  );
  expect(isTaskTerminalError(failure)).toBe(true);
  expect(String(failure)).toContain(message);
});

test("guardrails: a built repository lets the body start, one without features does not", async () => {
  const { pre = [] } = catalogReport.workspace ?? {};
  expect(evaluateGuardrails(pre, Object.keys(await snapshot(await builtRepository())))).toEqual([]);
  expect(evaluateGuardrails(pre, Object.keys(await snapshot(await dataWorkspace("."))))).toHaveLength(1);
});
