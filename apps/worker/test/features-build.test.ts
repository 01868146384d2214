import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

import { evaluateGuardrails, isTaskTerminalError } from "@perago/taskdef";
import { expect, test } from "vitest";

import { encodeWav } from "../scripts/lib/wav-writer.ts";
import { featureRecord } from "../src/feature-record.ts";
import featuresBuild from "../src/tasks/features-build.ts";
import { dataWorkspace, put, snapshot, temporaryFolder, workspaceContextFor } from "./helpers.ts";

const PARAMS = { featureSet: "basic-1", minSongs: 1 };

test("the task is declared without findings", () => {
  expect(featuresBuild.findings).toEqual([]);
});

test("every song gets one JSON and one CSV, and the result sums them up", async () => {
  const folder = await dataWorkspace("audio/render");
  const result = await featuresBuild.run(workspaceContextFor(folder, PARAMS));
  expect(result).toEqual({ featureSet: "basic-1", songCount: 6, totalSeconds: 11, removedFileCount: 0 });
  expect(featuresBuild.output.parse(result)).toEqual(result);
  const songs = ["glass-stairs", "harbour-lights", "iron-march", "long-pause", "night-train", "weather-front"];
  const files = songs.flatMap((song) => [`${song}.csv`, `${song}.json`]);
  expect((await readdir(join(folder, "features"))).toSorted()).toEqual(files);
});

test("JSON and CSV of a song say the same", async () => {
  const folder = await dataWorkspace("audio/render");
  await featuresBuild.run(workspaceContextFor(folder, PARAMS));
  const json = featureRecord.parse(JSON.parse(await readFile(join(folder, "features/iron-march.json"), "utf8")));
  expect(json).toMatchObject({ song: "iron-march", featureSet: "basic-1", rms: 0.25, peak: 0.25, zeroCrossings: 999 });
  const csv = await readFile(join(folder, "features/iron-march.csv"), "utf8");
  expect(csv).toBe(`${Object.keys(json).join(",")}\n${Object.values(json).join(",")}\n`);
});

test("two runs give the same bytes, on a fresh folder and on the folder of the first run", async () => {
  const first = await dataWorkspace("audio/render");
  const second = await dataWorkspace("audio/render");
  await featuresBuild.run(workspaceContextFor(first, PARAMS));
  await featuresBuild.run(workspaceContextFor(second, PARAMS));
  const bytes = await snapshot(first);
  expect(await snapshot(second)).toEqual(bytes);
  await featuresBuild.run(workspaceContextFor(first, PARAMS));
  expect(await snapshot(first)).toEqual(bytes);
});

test("feature files of songs that are gone are removed, other files stay", async () => {
  const folder = await dataWorkspace("audio/render");
  await put(folder, "features/old-song.json", "{}");
  await put(folder, "features/live/old-song.csv", "song\n");
  await put(folder, "features/README", "kept");
  await put(folder, "notes.json", "kept");
  const result = await featuresBuild.run(workspaceContextFor(folder, PARAMS));
  expect(result.removedFileCount).toBe(2);
  const files = Object.keys(await snapshot(folder));
  expect(files).toHaveLength(6 + 12 + 2);
  expect(files).toEqual(expect.arrayContaining(["features/README", "notes.json"]));
});

test("songs in folders keep their folders", async () => {
  const folder = await temporaryFolder();
  await put(folder, "raw/live/dusk.wav", encodeWav(8000, [0.5, -0.5]));
  await featuresBuild.run(workspaceContextFor(folder, PARAMS));
  const record: unknown = JSON.parse(await readFile(join(folder, "features/live/dusk.json"), "utf8"));
  expect(record).toMatchObject({ song: "live/dusk", sampleCount: 2 });
});

test("a song's name with a comma and a quote stays one CSV field", async () => {
  const folder = await temporaryFolder();
  await put(folder, 'raw/one, "two".wav', encodeWav(8000, [0.5, -0.5]));
  await featuresBuild.run(workspaceContextFor(folder, PARAMS));
  const csv = await readFile(join(folder, 'features/one, "two".csv'), "utf8");
  expect(csv.split("\n")[1]).toMatch(/^"one, ""two""",basic-1,8000,2,/);
});

test("bad songs are a terminal failure that names each of them, and nothing is written", async () => {
  const folder = await dataWorkspace("audio/render");
  await put(folder, "raw/broken.wav", "no sound");
  await put(folder, "raw/empty.wav", encodeWav(8000, []));
  const before = await snapshot(folder);
  const failure = await Promise.resolve(featuresBuild.run(workspaceContextFor(folder, PARAMS))).catch(
    (error: unknown) => error,
  );
  expect(isTaskTerminalError(failure)).toBe(true);
  expect(String(failure)).toMatch(/raw\/broken\.wav: is not a RIFF.*raw\/empty\.wav: has no samples/);
  expect(String(failure)).not.toContain(folder);
  expect(await snapshot(folder)).toEqual(before);
});

test("fewer songs than asked for are a terminal failure", async () => {
  const folder = await dataWorkspace("audio/render");
  const run = Promise.resolve(featuresBuild.run(workspaceContextFor(folder, { ...PARAMS, minSongs: 7 })));
  await expect(run).rejects.toThrow("raw/ has 6 songs, expected at least 7");
});

test("a fired signal ends the body before it writes", async () => {
  const folder = await dataWorkspace("audio/render");
  const before = await snapshot(folder);
  const run = Promise.resolve(featuresBuild.run(workspaceContextFor(folder, PARAMS, AbortSignal.abort())));
  await expect(run).rejects.toThrow(/abort/i);
  expect(await snapshot(folder)).toEqual(before);
});

test("guardrails: songs let the body start and its files let it publish; no song and a .tmp file are refused", async () => {
  const { pre = [], post = [] } = featuresBuild.workspace ?? {};
  const folder = await dataWorkspace("audio/render");
  expect(evaluateGuardrails(pre, [])).toHaveLength(1);
  expect(evaluateGuardrails(pre, Object.keys(await snapshot(folder)))).toEqual([]);
  expect(evaluateGuardrails(post, Object.keys(await snapshot(folder)))).toHaveLength(2);
  await featuresBuild.run(workspaceContextFor(folder, PARAMS));
  const files = Object.keys(await snapshot(folder));
  expect(evaluateGuardrails(post, files)).toEqual([]);
  expect(evaluateGuardrails(post, [...files, "features/half.tmp"])).toHaveLength(1);
});
