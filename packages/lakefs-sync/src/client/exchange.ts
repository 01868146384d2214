import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { onAbort } from "./on-abort.ts";
import type { AnswerHead, Receiver } from "./receiver.ts";

/** Who ended an exchange that has no whole answer. */
export type ExchangeEnd = "caller" | "deadline" | "peer";

/** A request; undici takes async iterables as bodies, which its types do not say. */
export interface ExchangeRequest extends Omit<Dispatcher.DispatchOptions, "body"> {
  readonly body?: Dispatcher.DispatchOptions["body"] | AsyncIterable<Buffer>;
}

/** A pool or agent of undici's. */
export interface ExchangeDispatcher {
  dispatch(request: ExchangeRequest, handler: Dispatcher.DispatchHandler): boolean;
}

/** One request, its bounds, and what becomes of the answer. */
export interface ExchangeParts<T> {
  readonly request: ExchangeRequest;
  readonly signal: AbortSignal | undefined;
  /** Whole time from the sending to the last byte, in milliseconds; undefined is without end. */
  readonly budgetMs: number | undefined;
  readonly receiver: Receiver<T>;
  /** The error for an answer of status 300 and above, with the first 64 KiB of its body. */
  readonly refuse: (head: AnswerHead, body: Buffer) => unknown;
  /** The error for an exchange without a whole answer. */
  readonly fail: (error: unknown, end: ExchangeEnd) => unknown;
}

/** Bytes of an error answer that are read. */
export const maxErrorSizeBytes = 64 * 1024;

/**
 * Sends one request and hands the answer's bytes to the receiver. It sits on undici's `dispatch` and not on its
 * `request`: no stream and no abort controller a call, which is a third of the CPU time of a small object.
 */
export function exchange<T>(dispatcher: ExchangeDispatcher, parts: ExchangeParts<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const handler = new ExchangeHandler(parts, resolve, reject);
    try {
      dispatcher.dispatch(parts.request, handler);
    } catch (error) {
      handler.onResponseError(undefined, error);
    }
  });
}

class ExchangeHandler<T> implements Dispatcher.DispatchHandler {
  readonly #parts: ExchangeParts<T>;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #forget: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #refused: { readonly head: AnswerHead; readonly pieces: Buffer[]; sizeBytes: number } | undefined;
  #settled = false;

  constructor(parts: ExchangeParts<T>, resolve: (value: T) => void, reject: (error: unknown) => void) {
    this.#parts = parts;
    this.#resolve = resolve;
    this.#reject = reject;
    const { signal, budgetMs } = parts;
    this.#timer = budgetMs === undefined ? undefined : setTimeout(() => this.#leave("deadline"), budgetMs);
    if (signal?.aborted === true) this.#leave("caller");
    else if (signal !== undefined) this.#forget = onAbort(signal, () => this.#leave("caller"));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Ended while it waited for a connection: it is not sent.
    if (this.#settled) controller.abort(new Error("ended"));
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    const head: AnswerHead = { status, header: (name) => textOf(headers[name]) };
    if (status >= 300) this.#refused = { head, pieces: [], sizeBytes: 0 };
    else this.#guard(controller, () => this.#parts.receiver.begin?.(head));
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#settled) return;
    const refused = this.#refused;
    if (refused === undefined) {
      this.#guard(controller, () => this.#parts.receiver.take(piece));
      return;
    }
    refused.pieces.push(Buffer.from(piece));
    refused.sizeBytes += piece.length;
    if (refused.sizeBytes < maxErrorSizeBytes) return;
    this.#settle(() => this.#reject(this.#refusal()));
    controller.abort(new Error("ended"));
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#settled) return;
    if (this.#refused !== undefined) this.#settle(() => this.#reject(this.#refusal()));
    else {
      this.#guard(controller, () => {
        const value = this.#parts.receiver.end();
        this.#settle(() => this.#resolve(value));
      });
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    // Half of an error's words are better than the news that the other half did not come.
    if (this.#refused === undefined) this.#settle(() => this.#reject(this.#parts.fail(error, "peer")));
    else this.#settle(() => this.#reject(this.#refusal()));
  }

  #refusal(): unknown {
    const { head, pieces } = this.#refused ?? { head: { status: 0, header: () => undefined }, pieces: [] };
    return this.#parts.refuse(head, Buffer.concat(pieces));
  }

  /** What a receiver throws is the call's error, and the rest of the answer is not wanted. */
  #guard(controller: Dispatcher.DispatchController, step: () => void): void {
    if (this.#settled) return;
    try {
      step();
    } catch (error) {
      this.#settle(() => this.#reject(error));
      controller.abort(new Error("ended"));
    }
  }

  #leave(end: "caller" | "deadline"): void {
    this.#settle(() => this.#reject(this.#parts.fail(undefined, end)));
    this.#controller?.abort(new Error("ended"));
  }

  #settle(how: () => void): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#forget?.();
    how();
  }
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
