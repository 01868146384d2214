import { afterAll, beforeAll, describe } from "vitest";
import { branchContract } from "./branches.ts";
import { Client } from "./client.ts";
import { commitContract } from "./commits.ts";
import { diffContract } from "./diffs.ts";
import { downloadContract } from "./downloads.ts";
import { hookContract } from "./hooks.ts";
import type { Lakefs } from "./lakefs.ts";
import { listingContract } from "./listing.ts";
import { logContract } from "./log.ts";
import { mergeContract } from "./merges.ts";
import { objectContract } from "./objects.ts";
import { protectionContract } from "./protection.ts";
import { raceContract } from "./races.ts";
import { replayContract } from "./replays.ts";
import { repositoryContract } from "./repositories.ts";
import { serverContract } from "./server.ts";
import { stagingContract } from "./staging.ts";
import { tagContract } from "./tags.ts";
import type { LakefsTarget } from "./target.ts";

export type { LakefsTarget } from "./target.ts";

/** What a lakeFS server does, as far as the emulator does it. One suite: it runs on the emulator and on the real server. */
export function lakefsContract(make: () => Promise<LakefsTarget>): void {
  describe("lakeFS contract", () => {
    let target: LakefsTarget | undefined;
    let client: Client | undefined;
    beforeAll(async () => {
      target = await make();
      client = new Client(target);
    });
    afterAll(async () => {
      await target?.close();
    });
    const lakefs: Lakefs = () => {
      if (client === undefined) throw new Error("the server under test is not there");
      return client;
    };
    serverContract(lakefs);
    repositoryContract(lakefs);
    branchContract(lakefs);
    objectContract(lakefs);
    downloadContract(lakefs);
    listingContract(lakefs);
    stagingContract(lakefs);
    commitContract(lakefs);
    logContract(lakefs);
    diffContract(lakefs);
    mergeContract(lakefs);
    hookContract(lakefs);
    raceContract(lakefs);
    protectionContract(lakefs);
    replayContract(lakefs);
    tagContract(lakefs);
  });
}
