import { posix } from "node:path";
import { exportStarLines, importsOf, type ImportReference } from "../source/imports.ts";
import { isCode, isGenerated, isTest, type SourceFile } from "../tree.ts";
import type { Manifest } from "./manifest.ts";
import type { Layer } from "./table.ts";

const ownScope = "@perago/";

/** Checks one package against its layer: manifest and sources. Returns what is wrong, one line each. */
export function checkLayer(layer: Layer, manifest: Manifest, files: readonly SourceFile[]): string[] {
  const code = files.filter(({ path }) => isCode(path) && path.startsWith(`${layer.folder}/`));
  return [...checkManifest(layer, manifest), ...code.flatMap((file) => checkFile(layer, manifest, file))];
}

/** Packages under `packages/` or `apps/` that the table does not know: each needs a row before it may exist. */
export function unknownPackages(layers: readonly Layer[], folders: readonly string[]): string[] {
  return folders
    .filter((folder) => !layers.some((layer) => layer.folder === folder))
    .map((folder) => `${folder}: no row in tools/verify/src/layers/table.ts; add one with what it may import`);
}

function checkManifest(layer: Layer, manifest: Manifest): string[] {
  const at = `${layer.folder}/package.json`;
  const findings: string[] = [];
  if (manifest.name !== layer.name)
    findings.push(`${at}: name is ${manifest.name}, the layers table says ${layer.name}`);
  for (const name of manifest.all) {
    if (name.startsWith(ownScope) && !layer.mayImport.includes(name))
      findings.push(`${at}: ${layer.name} may not depend on ${name}`);
  }
  for (const name of layer.runtime === undefined ? [] : manifest.runtime) {
    if (!name.startsWith(ownScope) && !layer.runtime?.includes(name)) {
      findings.push(`${at}: ${layer.name} may not depend on ${name} at run time`);
    }
  }
  return findings;
}

function checkFile(layer: Layer, manifest: Manifest, { path, text }: SourceFile): string[] {
  const stars = isGenerated(path) ? [] : exportStarLines(text);
  return [
    ...stars.map((line) => `${path}:${line}: export * hides what is exported; name the exports`),
    ...importsOf(text).flatMap((reference) => {
      const wrong = judge(layer, manifest, path, reference);
      return wrong === undefined ? [] : [`${path}:${reference.line}: ${wrong}`];
    }),
  ];
}

function judge(layer: Layer, manifest: Manifest, path: string, { specifier }: ImportReference): string | undefined {
  if (specifier.startsWith(".")) return judgeRelative(layer, path, specifier);
  if (specifier.startsWith("node:") || specifier === "") return undefined;
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  if (name === layer.name) return `imports its own package ${name}; import the file`;
  if (/^@perago\/[^/]+\/(?:src|dist|test)(?:\/|$)/.test(specifier))
    return `${specifier} reaches into another package; import ${name}`;
  if (name.startsWith(ownScope) && !layer.mayImport.includes(name)) return `${layer.name} may not import ${name}`;
  if (isShipped(layer, path) && !manifest.runtime.has(name)) return `${name} is not in this package's dependencies`;
  return undefined;
}

function judgeRelative(layer: Layer, path: string, specifier: string): string | undefined {
  const target = posix.normalize(posix.join(posix.dirname(path), specifier));
  const buildConfig = posix.dirname(path) === layer.folder;
  if (!target.startsWith(`${layer.folder}/`)) return buildConfig ? undefined : `${specifier} leaves the package`;
  // A test may look at the package as its users do.
  if (target === `${layer.folder}/src/index.ts` && !isTest(path))
    return "imports its own package's index; import the file";
  return undefined;
}

function isShipped(layer: Layer, path: string): boolean {
  return path.startsWith(`${layer.folder}/src/`) && !isTest(path);
}
