/** What one workspace package may lean on. Source: the package table of the design. */
export interface Layer {
  /** Name in package.json. */
  readonly name: string;
  /** Folder from the repository's root. */
  readonly folder: string;
  /** Workspace packages that it may import. */
  readonly mayImport: readonly string[];
  /** Third-party packages at run time, where the design limits them; undefined: no limit here. */
  readonly runtime?: readonly string[];
}

/**
 * The layers from the bottom up: arrows go one way. `.oxlintrc.json` says the same to editors; a test compares the two.
 */
export const layers: readonly Layer[] = [
  { name: "@perago/fence", folder: "packages/fence", mayImport: [], runtime: [] },
  { name: "@perago/budget", folder: "packages/budget", mayImport: [], runtime: ["zod"] },
  { name: "@perago/taskdef", folder: "packages/taskdef", mayImport: ["@perago/budget"], runtime: ["zod"] },
  { name: "@perago/lakefs-sync", folder: "packages/lakefs-sync", mayImport: [], runtime: ["undici"] },
  {
    name: "@perago/emulator",
    folder: "packages/emulator",
    mayImport: [],
    runtime: ["@hono/node-server", "hono", "wasmoon", "yaml"],
  },
  {
    name: "@perago/worker",
    folder: "packages/worker",
    mayImport: ["@perago/fence", "@perago/budget", "@perago/taskdef", "@perago/lakefs-sync"],
  },
  {
    name: "@perago/testing",
    folder: "packages/testing",
    mayImport: ["@perago/taskdef", "@perago/lakefs-sync", "@perago/worker", "@perago/emulator"],
    runtime: ["zod"],
  },
  {
    name: "@perago/cli",
    folder: "packages/cli",
    mayImport: [
      "@perago/fence",
      "@perago/budget",
      "@perago/taskdef",
      "@perago/lakefs-sync",
      "@perago/worker",
      "@perago/emulator",
    ],
  },
  {
    name: "@perago/app-worker",
    folder: "apps/worker",
    mayImport: ["@perago/worker", "@perago/cli", "@perago/taskdef", "@perago/testing"],
  },
  {
    // It runs what users run, as processes: the command and the scripts of apps/worker.
    name: "@perago/tools-demo",
    folder: "tools/demo",
    mayImport: ["@perago/fence", "@perago/lakefs-sync", "@perago/emulator", "@perago/cli", "@perago/app-worker"],
    runtime: ["zod"],
  },
  {
    // It runs what users run, as processes, beside its peers; workflows and waits are those of the e2e suites.
    name: "@perago/bench",
    folder: "bench",
    mayImport: ["@perago/fence", "@perago/lakefs-sync", "@perago/taskdef", "@perago/cli", "@perago/e2e"],
    runtime: ["@io-orkes/conductor-javascript", "tsdown", "zod"],
  },
  { name: "@perago/tools-stack", folder: "tools/stack", mayImport: [], runtime: [] },
  { name: "@perago/tools-fault-proxy", folder: "tools/fault-proxy", mayImport: [], runtime: [] },
  {
    name: "@perago/tools-chaos",
    folder: "tools/chaos",
    mayImport: [
      "@perago/fence",
      "@perago/taskdef",
      "@perago/lakefs-sync",
      "@perago/worker",
      "@perago/tools-stack",
      "@perago/tools-fault-proxy",
    ],
    runtime: ["zod"],
  },
];
