import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import type { LogSink } from "./log.ts";

/** Where a worker's lines go, how large one file gets, and how long rotated files stay. */
export interface RotatingFileOptions {
  /** Folder; made where it is missing. */
  readonly root: string;
  /** Name of the file without its ending: the worker id. Characters other than letters, digits and `._-` become `_`. */
  readonly name: string;
  /** `PERAGO_LOG_FILE_MAX_SIZE`; a line never straddles two files, so a file may end below it. */
  readonly maxSizeBytes: number;
  /** `PERAGO_LOG_RETENTION`: rotated files last written longer ago are removed. */
  readonly retentionMs: number;
  /** Wall clock, for file names and ages. */
  readonly nowMs: () => number;
}

/** A sink that writes each line with one system call before it returns: SIGKILL of the host loses nothing. */
export interface RotatingFile extends LogSink {
  /** Path of the file that is written to now. */
  readonly path: string;
  /** Removes rotated files past the retention; never throws. */
  sweep(): void;
  close(): void;
}

/** Opens (lazily) a log file that rotates by size. No error of the disk leaves it: `write` answers false instead. */
export function createRotatingFile(options: RotatingFileOptions): RotatingFile {
  const name = options.name.replaceAll(/[^A-Za-z0-9._-]/g, "_");
  const file = path.join(options.root, `${name}.jsonl`);
  let fd: number | undefined;
  let sizeBytes = 0;
  let rotationCount = 0;

  const open = (): number => {
    if (fd !== undefined) return fd;
    mkdirSync(options.root, { recursive: true });
    fd = openSync(file, "a+");
    sizeBytes = fstatSync(fd).size;
    // A line torn by a full disk or a power cut must not swallow the next one.
    if (sizeBytes > 0 && !endsWithNewline(fd, sizeBytes)) sizeBytes += writeSync(fd, "\n");
    return fd;
  };
  const close = (): void => {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  };
  const sweep = (): void => {
    attempt(() => {
      for (const entry of readdirSync(options.root)) {
        if (!isRotated(entry, name)) continue;
        const old = path.join(options.root, entry);
        if (options.nowMs() - statSync(old).mtimeMs > options.retentionMs) attempt(() => unlinkSync(old));
      }
    });
  };
  const rotate = (): void => {
    close();
    rotationCount += 1;
    const stamp = new Date(options.nowMs()).toISOString().replaceAll(/[:.]/g, "-");
    renameSync(file, path.join(options.root, `${name}.${stamp}-${process.pid}-${rotationCount}.jsonl`));
    sweep();
  };
  return {
    path: file,
    sweep,
    close: () => attempt(close),
    write: (line) => {
      const bytes = Buffer.from(`${line}\n`, "utf8");
      return attempt(() => {
        open();
        if (sizeBytes > 0 && sizeBytes + bytes.length > options.maxSizeBytes) rotate();
        writeWhole(open(), bytes, sizeBytes);
        sizeBytes += bytes.length;
      });
    },
  };
}

function writeWhole(fd: number, bytes: Buffer, sizeBytes: number): void {
  let written = 0;
  try {
    // Each turn writes at least one byte or throws.
    while (written < bytes.length) written += writeSync(fd, bytes, written);
  } catch (error) {
    if (written > 0) attempt(() => ftruncateSync(fd, sizeBytes));
    throw error;
  }
}

function endsWithNewline(fd: number, sizeBytes: number): boolean {
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, sizeBytes - 1);
  return last[0] === 0x0a;
}

function isRotated(entry: string, name: string): boolean {
  return entry.startsWith(`${name}.`) && /^\d{4}-\d{2}-\d{2}T[\dZ-]+\.jsonl$/.test(entry.slice(name.length + 1));
}

function attempt(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
