import { fork } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createRotatingFile, type RotatingFile, type RotatingFileOptions } from "./rotating-file.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), "perago-logs-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const HOUR_MS = 3_600_000;

function open(options: Partial<RotatingFileOptions> = {}): RotatingFile {
  return createRotatingFile({
    root,
    name: "w0001",
    maxSizeBytes: 100,
    retentionMs: HOUR_MS,
    nowMs: () => Date.now(),
    ...options,
  });
}

function linesOf(folder: string): string[] {
  return readdirSync(folder).flatMap((name) =>
    readFileSync(path.join(folder, name), "utf8").split("\n").filter(Boolean),
  );
}

describe("a rotating file", () => {
  test("rotates by size, no line straddles two files and none is lost", () => {
    const file = open();
    const lines = Array.from({ length: 50 }, (_, index) => `{"index":${index}}`);
    for (const line of lines) expect(file.write(line)).toBe(true);
    file.close();
    for (const name of readdirSync(root)) {
      expect(readFileSync(path.join(root, name)).length).toBeLessThanOrEqual(100);
    }
    expect(linesOf(root).toSorted()).toEqual(lines.toSorted());
  });

  test("removes its own rotated files past the retention, and no others", () => {
    const file = open();
    for (let index = 0; index < 50; index += 1) file.write(`{"index":${index}}`);
    const rotated = readdirSync(root).filter((name) => name !== "w0001.jsonl");
    const old = new Date(Date.now() - 2 * HOUR_MS);
    for (const name of rotated.slice(0, 2)) utimesSync(path.join(root, name), old, old);
    for (const name of ["other.jsonl", "w0001.notes.jsonl", "w00012.2020-01-01T00-00-00-000Z-1-1.jsonl"]) {
      appendFileSync(path.join(root, name), "x");
      utimesSync(path.join(root, name), old, old);
    }
    file.sweep();
    file.close();
    const left = readdirSync(root);
    for (const name of rotated.slice(0, 2)) expect(left).not.toContain(name);
    expect(left).toEqual(
      expect.arrayContaining([...rotated.slice(2), "other.jsonl", "w0001.notes.jsonl", "w0001.jsonl"]),
    );
    expect(left).toContain("w00012.2020-01-01T00-00-00-000Z-1-1.jsonl");
  });

  test("a line that was torn by a power cut does not swallow the next one", () => {
    appendFileSync(path.join(root, "w0001.jsonl"), '{"torn":');
    const file = open();
    file.write('{"whole":1}');
    file.close();
    expect(linesOf(root)).toEqual(['{"torn":', '{"whole":1}']);
  });

  test("a full disk loses the line and throws nothing", () => {
    symlinkSync("/dev/full", path.join(root, "w0001.jsonl"));
    expect(open().write("{}")).toBe(false);
  });

  test("a folder that cannot be made loses the line and throws nothing", () => {
    appendFileSync(path.join(root, "file"), "");
    expect(open({ root: path.join(root, "file") }).write("{}")).toBe(false);
  });

  test("a worker id with odd characters stays in the folder", () => {
    const file = open({ name: "../../evil" });
    file.write("{}");
    file.close();
    expect(path.dirname(file.path)).toBe(root);
  });

  test("SIGKILL of the host loses no line that was written", async () => {
    const writer = fileURLToPath(new URL("./fixtures/writer.ts", import.meta.url));
    const child = fork(writer, [root], {
      execArgv: ["--conditions=perago-source"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    let lastCount = -1;
    await new Promise<void>((resolve) => {
      child.on("message", (count) => {
        lastCount = Number(count);
        if (lastCount >= 1_000) resolve();
      });
    });
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    const counts = new Set(linesOf(root).map((line) => Number(JSON.parse(line).count)));
    for (let count = 0; count <= lastCount; count += 1) expect(counts.has(count)).toBe(true);
  });
});
