import { write } from "node:fs";
import type { LogSink } from "./log.ts";

const MAX_QUEUED_BYTES = 1024 * 1024;
const STDERR_FD = 2;
const MAX_RETRY_COUNT = 50;
const RETRY_DELAY_MS = 20;

/** Where {@link createFdSink} writes; `node:fs` in production. */
export type FdWrite = (
  bytes: Buffer,
  done: (error: NodeJS.ErrnoException | null, writtenBytes: number) => void,
) => void;

/** A sink that never blocks and never throws (fault J5): a reader that stands still or is gone loses lines, counted. */
export interface FdSink extends LogSink {
  /** Resolves when all that was accepted is written or lost. */
  flush(): Promise<void>;
}

/**
 * Writes lines to a file descriptor (default: stderr) one after the other, in the background: a pipe that nobody reads
 * would else stop the host's only thread and with it every heartbeat. At most 1 MiB waits; more is refused.
 */
export function createFdSink(
  options: { readonly write?: FdWrite; readonly format?: (json: string) => string } = {},
): FdSink {
  const writeOnce: FdWrite = options.write ?? ((bytes, done) => write(STDERR_FD, bytes, done));
  const format = options.format ?? ((json: string) => json);
  const queue: Buffer[] = [];
  const idle: (() => void)[] = [];
  let queuedBytes = 0;
  let busy = false;
  let broken = false;
  let retryCount = 0;

  const settle = (): void => {
    busy = false;
    for (const done of idle.splice(0)) done();
  };
  const next = (): void => {
    const bytes = queue[0];
    if (bytes === undefined) return settle();
    busy = true;
    writeOnce(bytes, (error, writtenBytes) => {
      if (error?.code === "EAGAIN" && retryCount < MAX_RETRY_COUNT) {
        retryCount += 1;
        setTimeout(next, RETRY_DELAY_MS);
        return;
      }
      retryCount = 0;
      if (error !== null) {
        // EPIPE does not heal; any other error costs this line only.
        broken = error.code === "EPIPE" || error.code === "EBADF";
        queuedBytes -= bytes.length;
        queue.shift();
        if (broken) {
          queue.length = 0;
          queuedBytes = 0;
        }
        return next();
      }
      queuedBytes -= writtenBytes;
      if (writtenBytes < bytes.length) queue[0] = bytes.subarray(writtenBytes);
      else queue.shift();
      next();
    });
  };
  return {
    write: (json) => {
      const bytes = Buffer.from(`${format(json)}\n`, "utf8");
      if (broken || queuedBytes + bytes.length > MAX_QUEUED_BYTES) return false;
      queue.push(bytes);
      queuedBytes += bytes.length;
      if (!busy) next();
      return true;
    },
    flush: () => (busy ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()),
  };
}
