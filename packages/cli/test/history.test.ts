import { readFile } from "node:fs/promises";
import path from "node:path";
import { startEmulator, type Emulator } from "@perago/emulator";
import { LakefsClient } from "@perago/lakefs-sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { renderPage } from "../src/history/page.ts";
import { reportOf, type HistoryReport } from "../src/history/report.ts";
import { perago, temporaryFolder, type Ended } from "./support/perago.ts";

const HOSTILE = `</script><script>alert(1)</script>"'&\u001b[31m\r\n<img src=x onerror=alert(2)>`;
const BUILD = "wf:build:0:features.build";

let emulator: Emulator;
let client: LakefsClient;
/** Commits of the target, oldest first. */
const ids: string[] = [];
beforeAll(async () => {
  emulator = await startEmulator();
  const { url, accessKeyId, secretAccessKey } = emulator.lakefs;
  client = new LakefsClient({ endpoint: url, accessKeyId, secretAccessKey });
  await client.createRepository({ name: "songs", storageNamespace: "local://songs" });
  ids.push((await client.getBranch("songs", "main")).commit_id);
  await add("perago: confirm", confirm(BUILD, "", ids[0] ?? ""));
  await add("perago: confirm", confirm(BUILD, ids[1] ?? "", ids[1] ?? ""));
});
afterAll(async () => {
  await client.close();
  await emulator.close();
});

function confirm(key: string, supersedes: string, expectedHead: string): Record<string, string> {
  return {
    "perago.phase": "confirm",
    "perago.logical_task_key": key,
    "perago.prefix": "data/",
    "perago.task_id": "t",
    "perago.retry_count": "0",
    "perago.task_def_name": "features.build",
    "perago.workflow_instance_id": "wf",
    "perago.supersedes": supersedes,
    "perago.expected_head": expectedHead,
  };
}

async function add(message: string, metadata: Record<string, string>): Promise<string> {
  const { id } = await client.commit("songs", "main", { message, metadata, allowEmpty: true });
  ids.push(id);
  return id;
}

async function history(...args: string[]): Promise<Ended> {
  const { url, accessKeyId, secretAccessKey } = emulator.lakefs;
  const environment = {
    LAKECTL_SERVER_ENDPOINT_URL: url,
    LAKECTL_CREDENTIALS_ACCESS_KEY_ID: accessKeyId,
    LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: secretAccessKey,
  };
  return await perago(["history", "lakefs://songs/main", ...args], { environment });
}

async function report(...args: string[]): Promise<HistoryReport & { exitCode: number | null }> {
  const ended = await history("--json", ...args);
  return { ...(JSON.parse(ended.stdout) as HistoryReport), exitCode: ended.exitCode };
}

describe("perago history", () => {
  test("rule P2: shows confirm and supersede, and accepts a retry from the first input alone", async () => {
    const [input = "", first = "", head = ""] = ids;
    const seen = await report("--input", input.slice(0, 10));
    expect(seen.commits.map(({ kind }) => kind)).toEqual(["supersede", "confirm", "foreign"]);
    expect(seen.inputRef).toBe(input);
    expect(seen.verdicts).toMatchObject([
      { logicalTaskKey: BUILD, accepted: true, rule: "P2", supersedes: head },
      { logicalTaskKey: null, accepted: false, rule: "P3", code: "publish_fence", commit: head },
    ]);
    expect(seen.exitCode).toBe(0);
    const other = await report("--input", input, "--task", "wf:other:0:task");
    expect(other.commits.map(({ kind }) => kind)).toEqual(["foreign", "foreign", "foreign"]);
    expect(other).toMatchObject({ verdicts: [{ accepted: false, commit: head }], exitCode: 1 });
    expect((await report("--input", head)).verdicts).toMatchObject([{ accepted: true, rule: "P1" }]);
    const text = (await history("--limit", "2", "--input", first)).stdout;
    expect(text).toContain(`supersede  ${head.slice(0, 12)}  20`);
    expect(text).toContain(
      `input ref ${first.slice(0, 12)}, ${BUILD}: accepted by rule P2, superseding ${head.slice(0, 12)}`,
    );
  });

  test("rule P3, rule P10: foreign, malformed, try and raced commits are told apart, and hostile words stay words", async () => {
    const raced = await add("perago: confirm", confirm(BUILD, ids.at(-1) ?? "", "f".repeat(64)));
    await add("a try", {
      "perago.phase": "try",
      ...Object.fromEntries(Object.entries(confirm(BUILD, "", "")).slice(1)),
    });
    await add("half", { "perago.phase": "confirm" });
    await add("picked", { ...confirm(BUILD, "", ""), "cherry-pick-origin": raced });
    const hostile = await add(HOSTILE, { note: HOSTILE });
    const seen = await report("--limit", "5", "--input", ids[0] ?? "");
    expect(seen.commits.map(({ kind, isRace }) => `${kind}${isRace ? " raced" : ""}`)).toEqual([
      "foreign",
      "foreign",
      "malformed",
      "try",
      "supersede raced",
    ]);
    expect(seen.commits[1]?.detail).toContain("cherry-picked from");
    expect(seen.commits[2]?.detail).toBe("perago.logical_task_key is missing");
    expect(seen.more).toBe(true);
    expect(seen.verdicts?.[0]).toMatchObject({ logicalTaskKey: BUILD, accepted: false, rule: "P3", commit: hostile });
    expect(seen.verdicts?.[0]?.message).toContain(hostile);
    const { stdout } = await history();
    expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  });

  test("--html: one file without script or network, everything escaped", async () => {
    const folder = await temporaryFolder();
    const file = path.join(folder, "history.html");
    const ended = await history("--input", ids[0] ?? "", "--html", file);
    expect(ended.stdout).toBe("");
    const page = await readFile(file, "utf8");
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<script|<img|<link|https?:|url\(/i);
    expect(page).toContain("&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp; [31m &lt;img src=x");
    expect(page).toContain("refused</b> (rule P3)");
    const wrong = await history("--html", path.join(folder, "no", "such.html"));
    expect({ exitCode: wrong.exitCode, told: wrong.stderr.includes("path_unusable") }).toEqual({
      exitCode: 2,
      told: true,
    });
  });

  test("what is no target, no input and no limit is a usage error; what is not there is the server's", async () => {
    for (const args of [["lakefs://songs"], ["songs/main"], ["lakefs://songs/main", "--input", "main"]]) {
      const ended = await perago(["history", ...args]);
      expect(ended.exitCode).toBe(2);
      expect(ended.stderr).toContain("error: ");
    }
    expect((await perago(["history", "lakefs://songs/main", "--limit", "0"])).exitCode).toBe(2);
    expect((await history("--input", "deadbeef".repeat(8))).exitCode).toBe(3);
  });

  test("a page of any metadata is still one page", () => {
    const metadata = { "perago.phase": HOSTILE, "perago.logical_task_key": HOSTILE };
    const commit = { id: HOSTILE, parents: [], metadata, message: HOSTILE, committer: HOSTILE, creationDate: 1e300 };
    const target = { repository: HOSTILE, branch: HOSTILE, head: HOSTILE };
    const page = renderPage(
      reportOf({ ...target, commits: [commit], inputRef: HOSTILE, limit: 9, logicalTaskKey: HOSTILE }),
    );
    expect(page.match(/<script|<img/gi)).toBeNull();
  });
});
