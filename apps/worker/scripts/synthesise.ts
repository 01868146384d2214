/**
 * Writes the six songs of `data/audio/render/raw`. They are kept in the repository; run it after a change to
 * `lib/songs.ts`.
 */
import { mkdir, writeFile } from "node:fs/promises";

import { RAW_FOLDER } from "./lib/data-folder.ts";
import { renderSongs } from "./lib/songs.ts";

await mkdir(RAW_FOLDER, { recursive: true });
for (const [name, wav] of renderSongs()) await writeFile(new URL(`${name}.wav`, RAW_FOLDER), wav);
