import { fileURLToPath } from "node:url";

/** Entries of this package that run as processes or threads of their own. */
export type ProcessEntry = "executor/child" | "executor/thread" | "tasks/describe-child";

/** What `fork` or `Worker` needs to start an entry, from the sources or from the built package. */
export function processEntry(entry: ProcessEntry): { readonly path: string; readonly nodeFlags: readonly string[] } {
  // From the sources workspace packages must resolve to sources too; built code lies at the top of dist/.
  return import.meta.url.endsWith(".ts")
    ? { path: fileURLToPath(new URL(`../${entry}.ts`, import.meta.url)), nodeFlags: ["--conditions=perago-source"] }
    : { path: fileURLToPath(new URL(`./${entry}.mjs`, import.meta.url)), nodeFlags: [] };
}
