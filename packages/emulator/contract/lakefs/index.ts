import type { LakefsTarget } from "./target.ts";
import { useTarget } from "./under-test.ts";

export type { LakefsTarget } from "./target.ts";

/**
 * What a lakeFS server does, as far as the emulator does it: declares one suite, which runs on the emulator and on the
 * real server. Await it at the top of a test file; the files of the suite are lists of tests, declared when they are
 * imported.
 */
export async function lakefsContract(make: () => Promise<LakefsTarget>): Promise<void> {
  useTarget(make);
  await import("./server.ts");
  await import("./repositories.ts");
  await import("./branches.ts");
  await import("./objects.ts");
  await import("./downloads.ts");
  await import("./listing.ts");
  await import("./staging.ts");
  await import("./commits.ts");
  await import("./log.ts");
  await import("./diffs.ts");
  await import("./merges.ts");
  await import("./hooks.ts");
  await import("./races.ts");
  await import("./protection.ts");
  await import("./replays.ts");
  await import("./tags.ts");
  await import("./coverage.ts");
}
