import { inspect } from "node:util";
import { CANARY, HOST_FOLDER } from "./hostile.ts";

/** Longest that the message of one error may be; a reason is cut to less. */
export const MAX_MESSAGE_LENGTH = 40_000;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** Fails the case, with words that name what broke. */
export function demand(holds: boolean, claim: string, shown?: unknown): asserts holds {
  if (!holds) throw new Error(shown === undefined ? claim : `${claim}: ${inspect(shown, { breakLength: 200 })}`);
}

/** All forms in which the canary would be a leak. */
export const CANARY_FORMS: readonly string[] = [
  CANARY,
  encodeURIComponent(CANARY),
  Buffer.from(CANARY).toString("base64").replace(/=+$/, ""),
  Buffer.from(CANARY).toString("base64url"),
];

/** No secret in any form (case A01). */
export function demandNoCanary(text: string, where: string): void {
  for (const form of CANARY_FORMS) demand(!text.includes(form), `${where} shows the canary`, text.slice(0, 300));
}

/** A message for people: bounded, whole letters, nothing that steers a terminal (rule R3, fault J5). */
export function demandWords(text: string, where: string, maxLength = MAX_MESSAGE_LENGTH): void {
  demand(text.length <= maxLength, `${where} is ${text.length} long`, text.slice(0, 100));
  demand(text.isWellFormed(), `${where} holds half a letter`, text.slice(0, 300));
  demand(!CONTROLS.test(text), `${where} holds a control character`, text.slice(0, 300));
}

/** A typed error whose message and mend may be shown; `demandNoSecret` beside it where a secret was about. */
export function demandError<E extends Error>(
  error: unknown,
  type: abstract new (...args: never[]) => E,
): asserts error is E {
  demand(error instanceof type, `threw ${error instanceof Error ? error.name : typeof error}, not ${type.name}`, error);
  const hint = "hint" in error && typeof error.hint === "string" ? error.hint : "";
  demand(hint !== "", "has no mend", error.message);
  demandWords(error.message, "the message");
  demandWords(hint, "the hint");
}

/** No secret in an error, whoever prints it and how (faults J4, case A01). */
export function demandNoSecret(error: Error): void {
  demandNoCanary(inspect(error, { depth: 6 }), "inspect()");
  demandNoCanary(error.stack ?? "", "the stack");
  demandNoCanary(`${jsonOf(error)} ${jsonOf(Object.entries(error))}`, "the error as JSON");
}

/** No path of this host (rule R3). */
export function demandNoHostPath(text: string, where: string): void {
  demand(!text.includes(HOST_FOLDER), `${where} shows a path of the host`, text.slice(0, 300));
}

/** A value as its JSON text; what is no JSON at all has none. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
