import type { OnReadOpts, Socket } from "node:net";
import { buildConnector } from "undici";

/** What a connection reads at once, as without a buffer of its own. */
const readBufferSizeBytes = 64 * 1024;
/** Twice the longest head of an answer that undici takes. */
const minSharedReadSizeBytes = 32 * 1024;

/** How connections are opened. */
export interface ConnectOptions {
  /** Longest wait for a connection, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Opens connections. A plain one reads into one buffer for all its life: without that a large object leaves a buffer of
 * 64 KiB a piece to the garbage collector, which comes after 64 MiB of them. Encrypted ones read as Node does.
 */
export function connectorOf({ timeoutMs }: ConnectOptions): buildConnector.connector {
  const common = { allowH2: false, timeout: timeoutMs, autoSelectFamily: true };
  const connectEncrypted = buildConnector(common);
  // One byte: the socket reads again only after what it read was taken.
  const plain = { ...common, highWaterMark: 1 };
  return (options, callback) => {
    if (options.protocol === "https:") connectEncrypted(options, callback);
    else buildConnector({ ...plain, onread: reusedBuffer() })(options, callback);
  };
}

/** `Socket.push` as `onread` needs it; short reads are copied, for the parser keeps parts of a head between reads. */
function reusedBuffer(): OnReadOpts {
  return {
    buffer: Buffer.allocUnsafeSlow(readBufferSizeBytes),
    callback(this: Socket, sizeBytes: number, buffer: Uint8Array): boolean {
      const piece = buffer.subarray(0, sizeBytes);
      return this.push(sizeBytes < minSharedReadSizeBytes ? Buffer.from(piece) : piece);
    },
  };
}
