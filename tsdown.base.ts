import { defineConfig, type UserConfig } from "tsdown";

/** One build shape for every package: ESM for Node 24, declarations beside the code, workspace imports left external. */
export function library(entry: string[], extra: UserConfig = {}): UserConfig {
  return defineConfig({
    entry,
    format: "esm",
    platform: "node",
    target: "node24",
    dts: true,
    sourcemap: false,
    clean: true,
    fixedExtension: true,
    ...extra,
  });
}
