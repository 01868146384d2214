import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { defineTask, forbidGlob, requireGlob, TaskTerminalError } from "@perago/taskdef";
import { z } from "zod";

import { measureWav, rounded } from "../audio/features.ts";
import { WavError } from "../audio/wav-error.ts";
import { type FeatureRecord, toCsv, toJson } from "../feature-record.ts";
import { FEATURES, listFeatureFiles, listSongs, RAW, summariseProblems } from "../song-files.ts";

/**
 * Measures every song below `raw/` and writes `features/<song>.json` and `features/<song>.csv`. Feature files of songs
 * that are gone are removed, so what is published depends on the songs alone. The same songs give the same bytes.
 */
export default defineTask({
  name: "features.build",
  description: "Measures every song and writes its features as JSON and CSV.",
  ownerEmail: "data@example.com",
  workspace: {
    prefix: "/audio/render",
    pre: [requireGlob("raw/**/*.wav", { min: 1 })],
    post: [
      requireGlob("features/**/*.json", { min: 1 }),
      requireGlob("features/**/*.csv", { min: 1 }),
      forbidGlob("**/*.tmp"),
    ],
  },
  params: z.object({ featureSet: z.string().min(1), minSongs: z.int().min(1) }),
  output: z.object({
    featureSet: z.string(),
    songCount: z.int().min(0),
    totalSeconds: z.number().min(0),
    removedFileCount: z.int().min(0),
  }),
  controls: {
    retry: { count: 3, logic: "FIXED", delaySeconds: 5 },
    timeout: { policy: "RETRY", seconds: 900, responseSeconds: 120 },
    publishBudget: {
      observedMergeP99Seconds: 20,
      safetyMarginSeconds: 10,
      lakefsMergeTimeoutSeconds: 45,
      conductorCompletionTimeoutSeconds: 15,
      workerShutdownGraceSeconds: 30,
      heartbeatIntervalSeconds: 10,
    },
  },
  async run({ workspace, params, signal, log, progress }) {
    const songs = await listSongs(workspace.path);
    if (songs.length < params.minSongs) {
      throw new TaskTerminalError(`${RAW}/ has ${songs.length} songs, expected at least ${params.minSongs}`);
    }
    const records = await measureSongs({
      workspace: workspace.path,
      songs,
      featureSet: params.featureSet,
      signal,
      report: (done) => progress({ done, total: songs.length }),
    });
    const removedFileCount = await removeStale(workspace.path, songs);
    for (const record of records) await writeRecord(workspace.path, record);
    log.info("features built", { songCount: records.length, removedFileCount });
    return {
      featureSet: params.featureSet,
      songCount: records.length,
      totalSeconds: rounded(records.reduce((total, record) => total + record.durationSeconds, 0)),
      removedFileCount,
    };
  },
});

interface Measuring {
  readonly workspace: string;
  readonly songs: readonly string[];
  readonly featureSet: string;
  readonly signal: AbortSignal;
  readonly report: (done: number) => void;
}

/** All songs are measured before anything is written, so that one answer names every bad file. */
async function measureSongs({ workspace, songs, featureSet, signal, report }: Measuring): Promise<FeatureRecord[]> {
  const records: FeatureRecord[] = [];
  const problems: string[] = [];
  for (const song of songs) {
    signal.throwIfAborted();
    const file = `${RAW}/${song}.wav`;
    try {
      records.push({ song, featureSet, ...(await measureWav(join(workspace, file), file, signal)) });
    } catch (error) {
      if (!(error instanceof WavError)) throw error;
      problems.push(`${error.message}. ${error.hint}`);
    }
    report(records.length + problems.length);
  }
  // The same commit has the same bytes next time: a retry would not help.
  if (problems.length > 0) throw new TaskTerminalError(summariseProblems(problems));
  return records;
}

async function removeStale(workspace: string, songs: readonly string[]): Promise<number> {
  const kept = new Set(songs.flatMap((song) => [`${song}.json`, `${song}.csv`]));
  const stale = (await listFeatureFiles(workspace)).filter((file) => !kept.has(file));
  for (const file of stale) await rm(join(workspace, FEATURES, file));
  return stale.length;
}

async function writeRecord(workspace: string, record: FeatureRecord): Promise<void> {
  const path = join(workspace, FEATURES, record.song);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.json`, toJson(record));
  await writeFile(`${path}.csv`, toCsv(record));
}
