import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { defineTask, requireFile, requireGlob, TaskTerminalError } from "@perago/taskdef";
import { z } from "zod";

import { rounded } from "../audio/features.ts";
import { sortEntries } from "../catalog.ts";
import { type FeatureRecord, featureRecord } from "../feature-record.ts";
import { listFeatureFiles, summariseProblems } from "../song-files.ts";

const RENDER_FOLDER = "audio/render";
const CATALOG_FILE = "catalog/songs.json";

const loudest = z.object({ song: z.string(), title: z.string().nullable(), rms: z.number() });

/**
 * Sums up the feature files of a commit beside the catalog. It reads the whole repository and publishes nothing:
 * what it finds is its output, and its output ref is its input ref.
 */
export default defineTask({
  name: "catalog.report",
  description: "Sums up the features of all songs beside the catalog. Reads only.",
  ownerEmail: "data@example.com",
  workspace: {
    prefix: "/",
    readOnly: true,
    pre: [requireFile(CATALOG_FILE), requireGlob(`${RENDER_FOLDER}/features/**/*.json`, { min: 1 })],
  },
  params: z.object({}),
  output: z.object({
    songCount: z.int().min(0),
    totalSeconds: z.number().min(0),
    featureSets: z.array(z.string()),
    loudestSong: loudest.nullable(),
    silentSongs: z.array(z.string()),
    notInCatalog: z.array(z.string()),
    withoutFeatures: z.array(z.string()),
  }),
  controls: {
    retry: { count: 3, logic: "FIXED", delaySeconds: 5 },
    timeout: { policy: "RETRY", seconds: 300, responseSeconds: 60 },
  },
  async run({ workspace, signal }) {
    const titles = await readTitles(workspace.path);
    const records = await readRecords(join(workspace.path, RENDER_FOLDER), signal);
    const measured = new Set(records.map((record) => record.song));
    return {
      songCount: records.length,
      totalSeconds: rounded(records.reduce((total, record) => total + record.durationSeconds, 0)),
      featureSets: [...new Set(records.map((record) => record.featureSet))].toSorted(),
      loudestSong: findLoudest(records, titles),
      silentSongs: records.filter((record) => record.peak === 0).map((record) => record.song),
      notInCatalog: records.map((record) => record.song).filter((song) => !titles.has(song)),
      withoutFeatures: [...titles.keys()].filter((song) => !measured.has(song)),
    };
  },
});

async function readTitles(workspace: string): Promise<Map<string, string>> {
  const entries = z.array(z.unknown()).safeParse(parseJson(await readFile(join(workspace, CATALOG_FILE), "utf8")));
  if (!entries.success) throw new TaskTerminalError(`${CATALOG_FILE} is not a JSON list of songs`);
  return new Map(sortEntries(entries.data).accepted.map(({ song, title }) => [song, title]));
}

async function readRecords(renderFolder: string, signal: AbortSignal): Promise<FeatureRecord[]> {
  const records: FeatureRecord[] = [];
  const problems: string[] = [];
  const files = (await listFeatureFiles(renderFolder)).filter((file) => file.endsWith(".json"));
  for (const file of files) {
    signal.throwIfAborted();
    const parsed = featureRecord.safeParse(parseJson(await readFile(join(renderFolder, "features", file), "utf8")));
    if (parsed.success) records.push(parsed.data);
    else problems.push(`features/${file} is not a feature file; run features.build again`);
  }
  if (problems.length > 0) throw new TaskTerminalError(summariseProblems(problems));
  return records;
}

/** The song with the highest RMS; of several the first by name. */
function findLoudest(records: readonly FeatureRecord[], titles: ReadonlyMap<string, string>) {
  const [first, ...rest] = records;
  if (first === undefined) return null;
  const { song, rms } = rest.reduce((best, record) => (record.rms > best.rms ? record : best), first);
  return { song, title: titles.get(song) ?? null, rms };
}

/** The value of a JSON text, undefined where it is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
