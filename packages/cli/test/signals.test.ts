import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { fixture, launch, temporaryFolder } from "./support/perago.ts";

const BOUND_MS = 12_000;

test.for([
  { signal: "SIGINT" as const, expected: 130 },
  { signal: "SIGTERM" as const, expected: 143 },
])(
  "$signal ends a check with $expected, and the module that it was importing with it",
  async ({ signal, expected }) => {
    const folder = await temporaryFolder();
    const pidFile = path.join(folder, "pid");
    const run = launch(["check", fixture("endless.ts")], { folder, environment: { PID_FILE: pidFile } });
    onTestFinished(() => run.kill("SIGKILL"));
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "");
    const childPid = Number(readFileSync(pidFile, "utf8"));
    onTestFinished(() => {
      if (isAlive(childPid)) process.kill(childPid, "SIGKILL");
    });
    run.kill(signal);
    expect((await run.ended).exitCode).toBe(expected);
    await until(() => !isAlive(childPid));
  },
);

async function until(condition: () => boolean): Promise<void> {
  const endMs = performance.now() + BOUND_MS;
  while (!condition()) {
    if (performance.now() > endMs) throw new Error(`not within ${BOUND_MS} ms`);
    await sleep(20);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
