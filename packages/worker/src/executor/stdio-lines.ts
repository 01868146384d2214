import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Clock } from "../attempt/ports/clock.ts";
import { MAX_STDIO_BYTES_PER_SECOND, MAX_STDIO_LINE_LENGTH } from "./limits.ts";

const WINDOW_MS = 1_000;

/**
 * Reads a stream of an executor by lines, bounded: a long line is cut into several, and after 8 MiB in one second
 * reading pauses, so that a body that floods its stdout waits for itself and not the host for it.
 */
export function readLines(stream: Readable, clock: Clock, onLine: (line: string) => void): void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let windowStartMs = clock.nowMs();
  let windowBytes = 0;
  const feed = (text: string): void => {
    const lines = `${rest}${text}`.split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) for (const part of parts(line)) onLine(part);
    if (rest.length <= MAX_STDIO_LINE_LENGTH) return;
    for (const part of parts(rest)) onLine(part);
    rest = "";
  };
  stream.on("data", (chunk: Buffer) => {
    feed(decoder.write(chunk));
    if (clock.nowMs() - windowStartMs >= WINDOW_MS) {
      windowStartMs = clock.nowMs();
      windowBytes = 0;
    }
    windowBytes += chunk.length;
    if (windowBytes < MAX_STDIO_BYTES_PER_SECOND) return;
    stream.pause();
    void clock.wait(Math.max(1, windowStartMs + WINDOW_MS - clock.nowMs())).then(() => stream.resume());
  });
  stream.on("end", () => {
    if (rest !== "") feed("\n");
  });
  // A reset pipe says no more than its end does.
  stream.on("error", () => {});
}

function* parts(line: string): Generator<string> {
  if (line === "") return;
  for (let at = 0; at < line.length; at += MAX_STDIO_LINE_LENGTH) yield line.slice(at, at + MAX_STDIO_LINE_LENGTH);
}
