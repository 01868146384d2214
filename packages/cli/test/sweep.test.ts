import { startEmulator, type Emulator } from "@perago/emulator";
import { LakefsClient, newFileAttributes, type Upload } from "@perago/lakefs-sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { perago, temporaryFolder, type Ended } from "./support/perago.ts";

const DAY_MS = 86_400_000;
const HASH = "0123456789abcdef";
let emulator: Emulator;
let client: LakefsClient;
let base: string;
beforeAll(async () => {
  emulator = await startEmulator();
  const { url, accessKeyId, secretAccessKey } = emulator.lakefs;
  client = new LakefsClient({ endpoint: url, accessKeyId, secretAccessKey });
});
afterAll(async () => {
  await client.close();
  await emulator.close();
});

async function repository(name: string): Promise<string> {
  await client.createRepository({ name, storageNamespace: `local://${name}` });
  base = (await client.getBranch(name, "main")).commit_id;
  return name;
}

function content(text: string): Pick<Upload, "source" | "attributes"> {
  const bytes = Buffer.from(text);
  return { source: { sizeBytes: bytes.length, open: () => bytes }, attributes: newFileAttributes };
}

/** A staging branch as an attempt leaves it: with its staging commit, or before it. */
async function stagingBranch(name: string, executionId: string, isCommitted: boolean): Promise<string> {
  const branch = `perago-stg-${HASH}-task-0-${executionId}`;
  await client.createBranch(name, { name: branch, sourceCommitId: base, hidden: true });
  await client.uploadObject({ repository: name, branch, path: "data/a", ...content("x") });
  const metadata = {
    "perago.phase": "try",
    "perago.staging_branch": branch,
    "perago.task_def_name": "features\u001b[31m.build",
    "perago.workflow_instance_id": "wf-1",
    "perago.retry_count": "0",
    "perago.target_branch": "main",
  };
  if (isCommitted) await client.commit(name, branch, { message: "try", metadata });
  return branch;
}

async function sweep(root: string, ...args: string[]): Promise<Ended> {
  const { url, accessKeyId, secretAccessKey } = emulator.lakefs;
  return await perago(["sweep", ...args], {
    environment: {
      LAKECTL_SERVER_ENDPOINT_URL: url,
      LAKECTL_CREDENTIALS_ACCESS_KEY_ID: accessKeyId,
      LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: secretAccessKey,
      PERAGO_WORKSPACE_ROOT: root,
    },
  });
}

async function names(name: string): Promise<string[]> {
  return (await client.listBranches(name, { showHidden: true })).map(({ id }) => id);
}

describe("perago sweep", () => {
  test("rule X3, case G05, case L15: removes hidden branches past the TTL, says what they held, and keeps the others", async () => {
    const root = await temporaryFolder();
    const name = await repository("swept");
    const committed = await stagingBranch(name, "aaa", true);
    const cut = await stagingBranch(name, "bbb", false);
    const address = `lakefs://${name}`;
    expect((await sweep(root, address)).stdout).toMatch(/swept: 0 removed, 2 kept\n$/);
    emulator.clock.advance(6 * DAY_MS);
    expect((await sweep(root, address, "--dry-run", "--ttl", "5d")).stdout).toMatch(
      /swept: 2 would be removed, 0 kept\n$/,
    );
    expect((await sweep(root, address)).stdout).toMatch(/swept: 0 removed, 2 kept\n$/);
    emulator.clock.advance(2 * DAY_MS);
    const young = await stagingBranch(name, "ccc", true);
    const elsewhere = await sweep(await temporaryFolder(), address, "--dry-run");
    expect(elsewhere.stdout, "a sweeper that has not known the branch").toContain("1 would be removed, 2 kept");
    const ended = await sweep(root, address);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain(`${committed}  8d old  removed\n`);
    expect(ended.stdout).toContain("staged by features [31m.build, attempt 0 of workflow wf-1, for main: commit ");
    expect(ended.stdout).toContain(`${cut}  8d old  removed\n         not committed: 1 (data/a)`);
    expect(ended.stdout).toMatch(new RegExp(`${young}  \\d+s old  kept: younger than the TTL`));
    expect((await names(name)).toSorted()).toEqual(["main", young].toSorted());
  });

  test("case G06: what a hook does not let go is told, and the rest goes", async () => {
    const root = await temporaryFolder();
    const name = await repository("hooked");
    const script = `error("branches stay")`;
    const hook = ["  - id: keep", "    type: lua", "    properties:", "      script: |", `        ${script}`];
    const when = ["on:", "  pre-delete-branch:", `    branches: ["*aaa"]`];
    const action = ["name: keep", ...when, "hooks:", ...hook, ""].join("\n");
    const file = { repository: name, branch: "main", path: "_lakefs_actions/keep.yaml" };
    await client.uploadObject({ ...file, ...content(action) });
    base = (await client.commit(name, "main", { message: "an action" })).id;
    const stuck = await stagingBranch(name, "aaa", true);
    await stagingBranch(name, "bbb", true);
    emulator.clock.advance(8 * DAY_MS);
    const ended = await sweep(root, `lakefs://${name}`, "--json");
    expect(ended.exitCode).toBe(3);
    const report = JSON.parse(ended.stdout) as { removed: number; failed: number; branches: { outcome: string }[] };
    expect(report).toMatchObject({ repository: name, removed: 1, failed: 1, kept: 0, ttlSeconds: 604_800 });
    expect(report.branches[0]).toMatchObject({ name: stuck, outcome: "failed", content: { task: expect.anything() } });
    expect(ended.stdout).toContain("branches stay");
    expect((await names(name)).toSorted()).toEqual(["main", stuck].toSorted());
  });

  test("rule X3: a TTL that running attempts could outlive, and what is no repository, are usage errors", async () => {
    const root = await temporaryFolder();
    const short = await sweep(root, "lakefs://songs", "--ttl", "10m", "--json");
    expect(short.exitCode).toBe(2);
    expect(short.stderr).toContain(`"setting":"--ttl"`);
    expect(short.stderr).toContain("shorter than 1h");
    for (const address of ["songs", "lakefs://songs/main"]) {
      const wrong = await sweep(root, address);
      expect(wrong.exitCode).toBe(2);
      expect(wrong.stderr).toContain("lakefs://<repository>");
    }
    const gone = await sweep(root, "lakefs://no-such-repository");
    expect(gone.exitCode).toBe(3);
    expect(gone.stderr).toContain("no-such-repository");
  });
});
