import { runTask, createTestBench } from "@perago/testing";
import { afterAll, describe, expect, test } from "vitest";

import { renderSongs } from "../scripts/lib/songs.ts";
import featuresBuild from "../src/tasks/features-build.ts";

// How a task author tests a task: its body with guardrails first, then a whole attempt on embedded servers.
const MODULE = new URL("../src/tasks/features-build.ts", import.meta.url);
const SONGS = ["glass-stairs", "long-pause"];
const FILES = Object.fromEntries(
  [...renderSongs()].flatMap(([name, wav]) => (SONGS.includes(name) ? [[`raw/${name}.wav`, wav]] : [])),
);
const PARAMS = { featureSet: "basic-1", minSongs: 2 };
const FEATURES = SONGS.flatMap((song) => [`features/${song}.csv`, `features/${song}.json`]);

describe("the body, with its guardrails, in this process", () => {
  test("it measures the songs that are there", async () => {
    const { status, result, files, logs } = await runTask(featuresBuild, { params: PARAMS, files: FILES });
    expect(status).toBe("COMPLETED");
    expect(result).toEqual({ featureSet: "basic-1", songCount: 2, totalSeconds: 2, removedFileCount: 0 });
    expect(Object.keys(files)).toEqual([...FEATURES, ...Object.keys(FILES)].toSorted());
    expect(logs).toEqual([expect.objectContaining({ message: "features built" })]);
  });

  test("without a song the pre guardrail refuses, and the body does not run", async () => {
    const { failure, logs } = await runTask(featuresBuild, { params: PARAMS, files: { "raw/notes.txt": "" } });
    expect(failure).toMatchObject({ code: "guardrail_pre" });
    expect(logs).toEqual([]);
  });
});

describe("a whole attempt on embedded servers", async () => {
  const bench = await createTestBench({ modules: [MODULE] });
  afterAll(() => bench.close());

  test("what it wrote is published as one commit, and its songs are as they were", async () => {
    const { status, ref, files, history } = await bench.runAttempt({ params: PARAMS, files: FILES });
    expect(status).toBe("COMPLETED");
    expect(history).toMatchObject([{ id: ref, metadata: { "perago.task_def_name": "features.build" } }]);
    expect(Object.keys(files)).toEqual([...FEATURES, ...Object.keys(FILES)].toSorted());
    expect(files["raw/long-pause.wav"]).toEqual(FILES["raw/long-pause.wav"]);
  });

  test("a song that is no WAV file ends terminally, named, and nothing is published", async () => {
    const { status, reason, history } = await bench.runAttempt({
      params: PARAMS,
      files: { ...FILES, "raw/broken.wav": "no sound" },
    });
    expect(status).toBe("FAILED_WITH_TERMINAL_ERROR");
    expect(reason).toMatch(/^body_terminal: raw\/broken\.wav: is not a RIFF/);
    expect(history).toEqual([]);
  });

  test("somebody else's commit on the target since the input refuses the attempt", async () => {
    const songs = Object.entries(FILES).map(([path, wav]) => [`audio/render/${path}`, wav]);
    const ref = await bench.commit("main", Object.fromEntries(songs));
    await bench.commit("main", { "catalog/notes.txt": "a remix" });
    const { status, code } = await bench.runAttempt({ params: PARAMS, branch: "main", ref });
    expect({ status, code }).toEqual({ status: "FAILED", code: "publish_fence" });
  });
});
