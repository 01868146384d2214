/** One finding of the checks of a request's body. */
export interface ValidationFinding {
  /** Where it is, as the real server names it, such as `registerTaskDef.arg0[0].name`. */
  readonly path: string;
  readonly message: string;
  /** The refused value as text, where it is a plain one. */
  readonly invalidValue?: string;
}

/** A request that is refused. The body is what Conductor answers. */
export class Refusal extends Error {
  /** What kind of refusal it is; not part of the answer. */
  readonly code: "bad_request" | "conflict" | "internal" | "invalid" | "not_found" | "not_here";
  /** The HTTP status. */
  readonly status: number;
  /** What to do about it; part of the message where the real server is the mend. */
  readonly hint: string;
  /** Findings of a body's checks; then the answer has the form of Conductor's validation errors. */
  readonly findings: readonly ValidationFinding[] | undefined;

  constructor(
    code: Refusal["code"],
    status: number,
    message: string,
    more: { readonly hint?: string; readonly findings?: readonly ValidationFinding[] } = {},
  ) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.status = status;
    this.hint = more.hint ?? "";
    this.findings = more.findings;
  }
}

/** 404 */
export function notFound(message: string): Refusal {
  return new Refusal("not_found", 404, message);
}

/** 409 */
export function conflict(message: string): Refusal {
  return new Refusal("conflict", 409, message);
}

/** 400 */
export function badRequest(message: string): Refusal {
  return new Refusal("bad_request", 400, message);
}

/** 500: what the real server does not foresee, unreadable JSON too. */
export function internal(message: string): Refusal {
  return new Refusal("internal", 500, message);
}

/** 400 with findings. */
export function invalid(findings: readonly ValidationFinding[]): Refusal {
  return new Refusal("invalid", 400, "Validation failed, check below errors for detail.", { findings });
}

/** 501: Conductor has it, this emulator does not. `what` names it. */
export function notHere(what: string): Refusal {
  const hint = "use a real Conductor server for it";
  return new Refusal("not_here", 501, `the emulator has no ${what}: ${hint}`, { hint });
}
