import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";
import { z } from "zod";

import { CATALOG_FILE } from "../scripts/lib/data-folder.ts";
import metadataValidate from "../src/tasks/metadata-validate.ts";
import { contextFor } from "./helpers.ts";

async function validate(songs: unknown[]) {
  const result = await metadataValidate.run(contextFor({ songs }));
  return metadataValidate.output.parse(result);
}

test("the task is declared without findings, and without a workspace", () => {
  expect(metadataValidate.findings).toEqual([]);
  expect(metadataValidate.workspace).toBeUndefined();
});

test("the catalog of data/ is accepted whole", async () => {
  const songs = z.array(z.unknown()).parse(JSON.parse(await readFile(CATALOG_FILE, "utf8")));
  expect(await validate(songs)).toMatchObject({ acceptedCount: 6, refusedCount: 0, refused: [] });
});

test("refused entries are a result: each with its place, its name and all reasons", async () => {
  const good = { song: "dusk", title: "Dusk", artist: "Quiet Floor" };
  const result = await validate([
    good,
    { ...good, song: "Bad Name", title: " " },
    { ...good, song: "dawn", year: 1500, label: "none" },
    "no entry",
    null,
    good,
  ]);
  expect(result).toMatchObject({ acceptedCount: 1, refusedCount: 5, accepted: ["dusk"] });
  expect(result.refused.map(({ index, song }) => [index, song])).toEqual([
    [1, "Bad Name"],
    [2, "dawn"],
    [3, null],
    [4, null],
    [5, "dusk"],
  ]);
  expect(result.refused[0]?.reasons).toEqual([expect.stringMatching(/^song: /), expect.stringMatching(/^title: /)]);
  expect(result.refused[1]?.reasons).toEqual([expect.stringMatching(/^year: /), expect.stringMatching(/label/)]);
  expect(result.refused[4]?.reasons).toEqual(["song: named by an earlier entry"]);
});

test("no entries are no failure either", async () => {
  expect(await validate([])).toEqual({ acceptedCount: 0, refusedCount: 0, accepted: [], refused: [] });
});
