import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkLayer, unknownPackages } from "../layers/check.ts";
import { parseManifest } from "../layers/manifest.ts";
import { layers, type Layer } from "../layers/table.ts";
import type { Step } from "../run-steps.ts";
import { isCode, readText, readTree } from "../tree.ts";

/** Holds manifests and imports of all packages under `root` against the layers table. */
export function layersStep(root: string, table: readonly Layer[] = layers): Step {
  return {
    name: "layers",
    run: async () => {
      const folders = ["packages", "apps"].flatMap((parent) => packageFolders(root, parent));
      const findings = [...unknownPackages(table, folders), ...table.flatMap((layer) => checkOne(root, layer))];
      return { ok: findings.length === 0, details: findings.join("\n") };
    },
  };
}

function checkOne(root: string, layer: Layer): string[] {
  const manifest = readText(root, `${layer.folder}/package.json`);
  if (manifest === undefined) return [];
  return checkLayer(layer, parseManifest(manifest), readTree(root, [layer.folder], isCode));
}

function packageFolders(root: string, parent: string): string[] {
  if (statSync(join(root, parent), { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const names = readdirSync(join(root, parent));
  return names
    .map((name) => `${parent}/${name}`)
    .filter((folder) => readText(root, `${folder}/package.json`) !== undefined);
}
