import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HostLockError, LOCK_OWNER_NAME, takeHostLock } from "./host-lock.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "perago-lock-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const owner = { pid: process.pid, startedAtMs: 1_796_059_984_547, workerIdPrefix: "host-abcdef" };

function refusal(): HostLockError {
  try {
    takeHostLock(root, owner).release();
  } catch (error) {
    if (error instanceof HostLockError) return error;
    throw error;
  }
  throw new Error("the lock was taken");
}

describe("host lock", () => {
  it("fault H3: a second host on one root is refused, naming the first, and may start when that one has ended", () => {
    const lock = takeHostLock(root, owner);
    const error = refusal();
    expect(error.code).toBe("host_lock_held");
    expect(error.message).toContain(`process ${process.pid}, started 2026-11-30T`);
    expect(error.hint).toContain("PERAGO_WORKSPACE_ROOT");
    lock.release();
    lock.release();
    takeHostLock(root, owner).release();
  });

  it("fault H3: another process holds it until it is killed, and then the kernel has freed it, whatever the owner file says", async () => {
    const script = `
      const { takeHostLock } = await import(${JSON.stringify(new URL("./host-lock.ts", import.meta.url).href)});
      takeHostLock(${JSON.stringify(root)}, { pid: process.pid, startedAtMs: 0, workerIdPrefix: "other" });
      console.log("held");
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    expect(refusal().message).toContain(`process ${child.pid}`);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    // A process id that is used again proves nothing.
    const stale = { pid: process.pid, startedAt: "2026-01-01T00:00:00.000Z", workerIdPrefix: "other" };
    await writeFile(join(root, LOCK_OWNER_NAME), JSON.stringify(stale));
    const lock = takeHostLock(root, owner);
    expect(JSON.parse(await readFile(join(root, LOCK_OWNER_NAME), "utf8"))).toMatchObject({ pid: process.pid });
    lock.release();
  });

  it("makes a root that is missing, and names a root that cannot be one", async () => {
    takeHostLock(join(root, "a", "b"), owner).release();
    await writeFile(join(root, "file"), "");
    expect(() => takeHostLock(join(root, "file"), owner)).toThrow(HostLockError);
    await mkdir(join(root, "c", ".perago-host.lock"), { recursive: true });
    expect(() => takeHostLock(join(root, "c"), owner)).toThrow(/cannot be used/);
  });
});
