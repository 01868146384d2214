import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "tsdown";
import type { Measurement } from "../measurement.ts";

/** B12: what a person pays who takes the fence alone. */
export const fenceSize: Measurement = {
  rows: [
    {
      id: "B12",
      work: "@perago/fence, its whole main entry, minified and gzipped",
      against: "-",
      unit: "bytes",
      decimals: 0,
      bound: { figure: "ours", relation: "<=", value: 4000 },
    },
  ],
  async measure({ session }) {
    const folder = await session.folder("fence");
    const entry = fileURLToPath(import.meta.resolve("@perago/fence"));
    await build({
      entry: { fence: entry },
      outDir: folder,
      format: "esm",
      platform: "neutral",
      minify: true,
      dts: false,
      logLevel: "silent",
      config: false,
      cwd: join(import.meta.dirname, "../.."),
    });
    const minified = await readFile(join(folder, "fence.js"));
    const imports = minified.toString("utf8").match(/\bfrom\s*["'][^"']+|\bimport\s*["'(][^"')]+/g) ?? [];
    if (imports.length > 0) throw new Error(`@perago/fence is not alone: ${imports.join(", ")}`);
    const note = `${minified.length} bytes minified, no dependencies`;
    return { B12: { ours: [gzipSync(minified, { level: 9 }).length], other: [], note } };
  },
};
