import { inspect } from "node:util";

const MASK = "[secret]";

/** A value that shows itself only to who asks for it: printing, inspecting, joining and JSON give a mask (case A01). */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The value itself; never goes into a log, an error or a reason. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}
