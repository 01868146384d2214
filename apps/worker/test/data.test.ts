import { readdir, readFile } from "node:fs/promises";

import { expect, test } from "vitest";
import { z } from "zod";

import { CATALOG_FILE, RAW_FOLDER } from "../scripts/lib/data-folder.ts";
import { listData } from "../scripts/lib/load-data.ts";
import { renderSongs } from "../scripts/lib/songs.ts";
import { songMetadata } from "../src/catalog.ts";

const MAX_DATA_BYTES = 600_000;

test("scripts/synthesise.ts makes the songs of data/ byte for byte, and there are no others", async () => {
  const songs = renderSongs();
  expect((await readdir(RAW_FOLDER)).toSorted()).toEqual([...songs.keys()].map((name) => `${name}.wav`).toSorted());
  let sizeBytes = 0;
  for (const [name, wav] of songs) {
    const kept = await readFile(new URL(`${name}.wav`, RAW_FOLDER));
    expect(kept.equals(wav), name).toBe(true);
    sizeBytes += kept.length;
  }
  expect(sizeBytes).toBeLessThan(MAX_DATA_BYTES);
});

test("the catalog names every song once", async () => {
  const catalog = z.array(songMetadata).parse(JSON.parse(await readFile(CATALOG_FILE, "utf8")));
  expect(catalog.map(({ song }) => song)).toEqual([...renderSongs().keys()].toSorted());
});

test("the catalog lies outside the prefix of features.build", async () => {
  const outside = (await listData()).filter((key) => !key.startsWith("audio/render/"));
  expect(outside).toEqual(["catalog/songs.json"]);
});
