import { write } from "node:fs";
import type { LogSink } from "./log.ts";

const MAX_QUEUED_BYTES = 1024 * 1024;
const STDERR_FD = 2;
const MAX_RETRY_COUNT = 50;
const RETRY_DELAY_MS = 20;
/** After a write lines are gathered for this long: under load one write takes many lines, alone a line goes at once. */
const GATHER_MS = 100;

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
  let isWriting = false;
  let gathering: NodeJS.Timeout | undefined;
  let broken = false;
  let retryCount = 0;

  const settle = (): void => {
    isWriting = false;
    for (const done of idle.splice(0)) done();
    gathering = setTimeout(() => {
      gathering = undefined;
      if (queue.length > 0) next();
    }, GATHER_MS);
  };
  const next = (): void => {
    clearTimeout(gathering);
    gathering = undefined;
    if (queue.length > 1) queue.splice(0, queue.length, Buffer.concat(queue, queuedBytes));
    const bytes = queue[0];
    if (bytes === undefined) return settle();
    isWriting = true;
    writeOnce(bytes, (error, writtenBytes) => {
      if (error?.code === "EAGAIN" && retryCount < MAX_RETRY_COUNT) {
        retryCount += 1;
        setTimeout(next, RETRY_DELAY_MS);
        return;
      }
      retryCount = 0;
      if (error !== null) {
        // EPIPE does not heal; any other error costs these lines only.
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
      if (!isWriting && gathering === undefined) next();
      return true;
    },
    flush() {
      if (!isWriting && queue.length === 0) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      idle.push(resolve);
      if (!isWriting) next();
      return promise;
    },
  };
}
