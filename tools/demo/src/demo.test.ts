import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";

// `pnpm test` builds first: the demo runs what users run.
const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));
const TIMEOUT_MS = 120_000;

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "perago-demo-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function startDemo(folder: string, args: readonly string[]) {
  const mark = `DEMO_TEST_MARK=${folder}`;
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      TMPDIR: folder,
      DEMO_TEST_MARK: folder,
      // Servers of the caller must not be touched.
      CONDUCTOR_SERVER_URL: "http://127.0.0.1:1/api",
      CONDUCTOR_AUTH_KEY: "key",
      PERAGO_LOG_RETENTION: "never",
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => (text += part));
  return { child, mark, ended: once(child, "close"), text: () => text };
}

/** Node's own cache of compiled code is nobody's left-over. */
async function leftFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== "node-compile-cache");
}

/** Pids of living processes that the demo started (Linux). */
async function left(mark: string): Promise<string[]> {
  if (process.platform !== "linux") return [];
  const found: string[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    if (environment.split("\0").includes(mark)) found.push(pid);
  }
  return found;
}

test(
  "the demo shows a confirm, a supersede, a foreign commit and a refused attempt, ends with 0 and leaves nothing",
  { timeout: TIMEOUT_MS },
  async () => {
    const folder = await temporary();
    const demo = startDemo(folder, ["--page", join(folder, "deep/page.html")]);
    await demo.ended;
    expect(demo.child.exitCode, demo.text()).toBe(0);
    const kinds = [...demo.text().matchAll(/[●◆✗○]\s+(?:[0-9a-f]{8})?\s+(confirm|supersede|foreign|refused|start)/g)];
    expect(kinds.map(([, kind]) => kind)).toEqual([
      "confirm",
      "refused",
      "foreign",
      "supersede",
      "confirm",
      "confirm",
      "start",
      "start",
    ]);
    expect(demo.text()).toContain("publish_fence: rule P3 refuses songs/main: a foreign commit since the input commit");
    expect(await readFile(join(folder, "deep/page.html"), "utf8")).toContain("publish_fence");
    expect(await leftFiles(folder)).toEqual(["deep"]);
    expect(await left(demo.mark)).toEqual([]);
  },
);

test("SIGTERM in the middle ends all that was started: 143", { timeout: TIMEOUT_MS }, async () => {
  const folder = await temporary();
  const demo = startDemo(folder, ["--page", join(folder, "page.html")]);
  const endMs = performance.now() + TIMEOUT_MS / 2;
  while (!demo.text().includes("the reference host polls")) {
    if (performance.now() > endMs) throw new Error(`no host: ${demo.text()}`);
    await sleep(20);
  }
  demo.child.kill("SIGTERM");
  await demo.ended;
  expect(demo.child.exitCode, demo.text()).toBe(143);
  expect(await leftFiles(folder)).toEqual([]);
  expect(await left(demo.mark)).toEqual([]);
});

test("an unknown argument is a usage error: 2", async () => {
  const demo = startDemo(await temporary(), ["--fast"]);
  await demo.ended;
  expect(demo.child.exitCode).toBe(2);
});
