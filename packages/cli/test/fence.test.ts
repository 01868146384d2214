import { Readable } from "node:stream";
import { startEmulator, type Emulator } from "@perago/emulator";
import { HARD_FENCE_PROBE_PREFIX, hardFenceAction } from "@perago/fence/hard-fence";
import { LakefsClient } from "@perago/lakefs-sync";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { perago, type Ended } from "./support/perago.ts";

const action = hardFenceAction({ branch: "main" });
let emulator: Emulator;
let client: LakefsClient;
let repository = "";
let count = 0;
beforeAll(async () => {
  emulator = await startEmulator();
  const { url, accessKeyId, secretAccessKey } = emulator.lakefs;
  client = new LakefsClient({ endpoint: url, accessKeyId, secretAccessKey });
});
beforeEach(async () => {
  repository = `fenced-${(count += 1)}`;
  await client.createRepository({ name: repository, storageNamespace: `local://${repository}` });
});
afterAll(async () => {
  await client.close();
  await emulator.close();
});

async function fence(verb: "install" | "verify", ...args: string[]): Promise<Ended> {
  const { url, accessKeyId, secretAccessKey } = emulator.lakefs;
  const environment = {
    LAKECTL_SERVER_ENDPOINT_URL: url,
    LAKECTL_CREDENTIALS_ACCESS_KEY_ID: accessKeyId,
    LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: secretAccessKey,
  };
  return await perago(["fence", verb, `lakefs://${repository}/main`, ...args], { environment });
}

async function head(): Promise<string> {
  return (await client.getBranch(repository, "main")).commit_id;
}

async function put(text: string, branch = "main"): Promise<void> {
  const bytes = Buffer.from(text);
  const source = { sizeBytes: bytes.length, open: () => Readable.from([bytes]) };
  const attributes = { contentType: "text/plain", metadata: {} };
  await client.uploadObject({ repository, branch, path: action.path, source, attributes });
  await client.commit(repository, branch, { message: "by hand" });
}

const codes = ({ stdout }: Ended): string[] =>
  (JSON.parse(stdout) as { findings: { code: string }[] }).findings.map(({ code }) => code);

const protect = (): Promise<void> => client.setBranchProtectionRules(repository, [{ pattern: "ma*" }]);

describe("perago fence install", () => {
  test("rule H1: installs by a merge onto a protected branch, leaves no branch behind, and then verifies", async () => {
    await protect();
    const before = await head();
    const installed = await fence("install");
    expect(installed.stdout).toContain("the hard fence is in force (version 1)");
    expect(installed.stderr).toContain("older input ref are refused (publish_fence)");
    expect(installed.exitCode).toBe(0);
    const commit = await client.getCommit(repository, await head());
    expect(commit.parents).toEqual([before]);
    expect(commit.metadata).toMatchObject({ "perago.hard_fence": "1", "perago.expected_head": before });
    expect(commit.metadata).not.toHaveProperty("perago.phase");
    const branches = await client.listBranches(repository, { showHidden: true });
    expect(branches.map(({ id }) => id)).toEqual(["main"]);

    const again = await fence("install", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ isChanged: false, isEnforced: true, findings: [] });
    expect(await head()).toBe(commit.id);
  });

  test("rule H1: --dry-run shows the action and writes nothing", async () => {
    const before = await head();
    const { stdout, exitCode } = await fence("install", "--exclusive", "--dry-run");
    expect(stdout).toContain(hardFenceAction({ branch: "main", exclusive: true }).text);
    expect(exitCode).toBe(0);
    expect(await head()).toBe(before);
  });

  test("rule H1, fault D4: an exclusive fence refuses people's ways onto the target, and lets itself be replaced", async () => {
    await protect();
    expect((await fence("install", "--exclusive")).exitCode).toBe(0);
    const fenced = await head();
    await client.createBranch(repository, { name: "side", sourceCommitId: fenced });
    const { id } = await client.commit(repository, "side", { message: "side", metadata: {}, allowEmpty: true });
    const merge = { sourceRef: id, destinationBranch: "main", message: "by hand", metadata: {} };
    const merged = client.mergeIntoBranch(repository, { ...merge, squashMerge: true, allowEmpty: true });
    await expect(merged).rejects.toThrow("takes merges of Perago only");
    const replaced = await fence("install", "--json");
    expect(JSON.parse(replaced.stdout)).toMatchObject({ isChanged: true, hardFence: { exclusive: false } });
    expect(await head()).not.toBe(fenced);
  });

  test("rule H3: an edited action is not overwritten unasked", async () => {
    await protect();
    await client.setBranchProtectionRules(repository, []);
    await put(action.text.replace("~= head", "== head"));
    const before = await head();
    const refused = await fence("install", "--json");
    expect(refused.exitCode).toBe(1);
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: "hard_fence_edited" } });
    expect(refused.stderr).toContain("--force");
    expect(await head()).toBe(before);
    await fence("install", "--force");
    expect(codes(await fence("verify", "--json"))).toEqual(["branch_unprotected"]);
  });
});

describe("perago fence verify", () => {
  test("rule H3: names what is wrong, each with its mend, and touches nothing", async () => {
    const before = await head();
    const missing = await fence("verify");
    expect(missing.exitCode).toBe(1);
    expect(missing.stdout).toContain(`perago fence install lakefs://${repository}/main`);
    expect(missing.stdout).toContain(`lakectl branch-protect add lakefs://${repository} main`);
    expect(await head()).toBe(before);
    await put(action.text.replace("version 1", "version 9"));
    expect(codes(await fence("verify", "--json"))).toEqual(["hard_fence_newer", "branch_unprotected"]);
    await put("name: other\non:\n  pre-merge:\nhooks: []\n");
    expect(codes(await fence("verify", "--json"))).toEqual(["hard_fence_edited", "branch_unprotected"]);
  });

  test("fault D7: the server is tried on a throw-away branch, which is gone afterwards", async () => {
    await protect();
    await fence("install");
    const before = await head();
    const verified = await fence("verify", "--json");
    expect(verified.exitCode).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({ head: before, isEnforced: true, isProtected: true });
    expect(await head()).toBe(before);
    expect(await client.listBranches(repository, { prefix: HARD_FENCE_PROBE_PREFIX, showHidden: true })).toEqual([]);
  });

  test("usage: a target is repository and branch", async () => {
    expect((await perago(["fence", "verify", "lakefs://songs"])).exitCode).toBe(2);
    expect((await perago(["fence"])).exitCode).toBe(2);
  });
});
