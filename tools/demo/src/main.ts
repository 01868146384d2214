import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, styleText } from "node:util";
import { createEngine } from "./engine.ts";
import { historyRows } from "./history.ts";
import { renderPage } from "./page.ts";
import { commandFile, reference, runNode, startHost, type Place } from "./processes.ts";
import { childEnvironment, startServers } from "./servers.ts";
import { playStory, type Act, type Story } from "./story.ts";
import { openTarget } from "./target.ts";
import { historyPicture, wrap, type Paint } from "./terminal.ts";
import { DemoError } from "./until.ts";

// Entry of `pnpm demo`: the only file here with signal handlers and exit codes.
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const REPOSITORY = "songs";
const BRANCH = "main";
const STATE_FOLDER = fileURLToPath(new URL("../../../.perago/", import.meta.url));
const TEXT_WIDTH = 100;

const paint: Paint = (format, text) => styleText(format, text, { stream: process.stdout });
const startMs = performance.now();
process.exitCode = await main();

async function main(): Promise<number> {
  const page = readArguments();
  if (page === undefined) return EXIT_USAGE;
  const stop = new AbortController();
  let signalCode: number | undefined;
  const onSignal = (code: number) => (): void => {
    signalCode ??= code;
    stop.abort(new DemoError("the demo was stopped"));
  };
  process.on("SIGINT", onSignal(130)).on("SIGTERM", onSignal(143));
  try {
    await demo(page, stop.signal);
    return 0;
  } catch (error) {
    if (signalCode === undefined) {
      const text = error instanceof DemoError ? error.message : error instanceof Error ? error.stack : String(error);
      process.stderr.write(`the demo failed: ${text}\n`);
    }
    return signalCode ?? EXIT_FAILED;
  }
}

function readArguments(): string | undefined {
  try {
    const { values } = parseArgs({ options: { page: { type: "string" } } });
    return values.page === undefined ? join(STATE_FOLDER, "demo.html") : resolve(values.page);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nusage: demo [--page FILE]\n`);
    return undefined;
  }
}

async function demo(page: string, signal: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "perago-demo-"));
  try {
    const story = await withServers(folder, signal);
    const rows = historyRows(story);
    say("");
    say(`${paint("bold", `${story.repository}/${story.branch}`)}  newest first, along first parents`);
    for (const line of historyPicture(rows, paint)) say(line);
    const elapsedMs = performance.now() - startMs;
    await writePage(page, renderPage({ story, rows, elapsedMs, madeAt: new Date() }));
    say("");
    say(`page      ${page}`);
    say(`${(elapsedMs / 1000).toFixed(1)} s; all servers and the host have ended`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function withServers(folder: string, signal: AbortSignal): Promise<Story> {
  const emulator = await startServers();
  try {
    const environment = childEnvironment(process.env, emulator, folder);
    const place = { environment, folder, signal };
    const workflowName = await prepare(place);
    say(
      `ready     embedded lakeFS and Conductor on ${emulator.lakefs.url} and ${emulator.conductor.url}; songs loaded`,
    );
    const host = await startHost([...reference.modules, "--slots", "features.build=2"], place);
    const { url: endpoint, accessKeyId, secretAccessKey } = emulator.lakefs;
    const target = openTarget({ endpoint, accessKeyId, secretAccessKey }, REPOSITORY, BRANCH);
    try {
      say("host      the reference host polls for metadata.validate, features.build and catalog.report");
      const engine = createEngine(emulator.conductor.url, workflowName, signal);
      let actCount = 0;
      const onAct = (act: Act): void => tellAct(++actCount, act);
      return await playStory({ emulator, engine, target, signal, onAct });
    } catch (error) {
      if (!signal.aborted) process.stderr.write(host.log());
      throw error;
    } finally {
      await target.close();
      await host.stop();
    }
  } finally {
    await emulator.close();
  }
}

/** What the README of apps/worker has people type. Answers the workflow's name. */
async function prepare(place: Place): Promise<string> {
  const load = runNode([reference.script("load-data.ts"), "--repository", REPOSITORY, "--branch", BRANCH], place);
  const tasks = runNode([commandFile(), "register", ...reference.modules], place);
  const workflow = runNode([reference.script("register-workflow.ts")], place);
  // All have ended before anything is cleaned up, also where one fails.
  const settled = await Promise.allSettled([load, tasks, workflow]);
  for (const each of settled) if (each.status === "rejected") throw each.reason;
  return (await workflow).trim();
}

function tellAct(number: number, { title, text, elapsedMs }: Act): void {
  say("");
  say(`${paint("bold", `${number}  ${title}`)}  ${paint("dim", `${(elapsedMs / 1000).toFixed(1)} s`)}`);
  for (const line of wrap(text, TEXT_WIDTH)) say(`   ${line}`);
}

async function writePage(page: string, html: string): Promise<void> {
  await mkdir(dirname(page), { recursive: true });
  // The default folder is in nobody's .gitignore.
  const ignore = join(STATE_FOLDER, ".gitignore");
  if (page.startsWith(STATE_FOLDER) && !existsSync(ignore)) await writeFile(ignore, "*\n");
  await writeFile(page, html);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
