/** The start of an answer. */
export interface AnswerHead {
  readonly status: number;
  header(name: string): string | undefined;
}

/**
 * Takes the bytes of one successful answer as they come from the connection, in pieces of at most 64 KiB, and is done
 * with each before the next is read into the same memory: nothing is buffered on the way (case B06). What it throws
 * ends the call as it is.
 */
export interface Receiver<T> {
  /** Headers that only this try sends, e.g. a range. */
  readonly headers?: Readonly<Record<string, string>>;
  begin?(head: AnswerHead): void;
  take(piece: Buffer): void;
  /** After the last byte; what it gives is the call's result. */
  end(): T;
}

/** Makes the receiver of one try; a repeated call makes a new one. */
export type ReceiverSource<T> = () => Receiver<T>;

/** Thrown where an answer is longer than its reader allows; mapped to a typed error by the caller. */
export class AnswerTooLong extends Error {}

/** Collects a short answer whole; a longer one than `limitBytes` fails. */
export function collectBytes(limitBytes: number): ReceiverSource<Buffer> {
  return () => {
    const pieces: Buffer[] = [];
    let sizeBytes = 0;
    return {
      take: (piece) => {
        sizeBytes += piece.length;
        if (sizeBytes > limitBytes) throw new AnswerTooLong(`an answer of over ${limitBytes} bytes`);
        pieces.push(Buffer.from(piece));
      },
      end: () => (pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces, sizeBytes)),
    };
  };
}
