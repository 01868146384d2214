/** One thing that is wrong, or worth a warning, as data: where, which rule, what, and the mend. */
export interface Finding {
  /** An `error` refuses extract and start; a `warning` is shown once and changes nothing. */
  readonly severity: "error" | "warning";
  /** Where it stands, e.g. `controls.timeout.responseSeconds`; empty for the whole value. */
  readonly path: string;
  /** A stable snake_case code; `perago explain <code>` may know more. */
  readonly code: string;
  /** What is wrong; names the thing. */
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
}

/** A value, or everything that is wrong with what should have been one. */
export type Checked<T> = { readonly ok: true; readonly value: T } | Refused;

/** All findings at once; never only the first. */
export interface Refused {
  readonly ok: false;
  readonly findings: readonly Finding[];
}

/** Makes an error finding. */
export function errorAt(path: string, code: string, message: string, hint: string): Finding {
  return { severity: "error", path, code, message, hint };
}

/** Makes a warning finding. */
export function warningAt(path: string, code: string, message: string, hint: string): Finding {
  return { severity: "warning", path, code, message, hint };
}

/** Whether any of the findings is an error. */
export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === "error");
}

const MAX_DATA_FINDINGS = 100;

/** Bounds the findings about one value of a run: a wrong list of a million rows must not become a million findings. */
export function boundFindings(findings: readonly Finding[], code: string): readonly Finding[] {
  const more = findings.length - MAX_DATA_FINDINGS;
  if (more <= 0) return findings;
  const rest = errorAt("", code, `and ${more} more findings`, "Mend the first ones; they may have one cause.");
  return [...findings.slice(0, MAX_DATA_FINDINGS), rest];
}

/** Joins a path and a key the way the findings show it: `a.b`, `a[0]`, `a["odd key"]`. */
export function joinPath(base: string, key: PropertyKey): string {
  if (typeof key === "number") return `${base}[${key}]`;
  const text = String(key);
  if (text.length > SHOWN_KEY_LENGTH || !/^[A-Za-z_$][\w$-]*$/.test(text)) return `${base}[${quote(text)}]`;
  return base === "" ? text : `${base}.${text}`;
}

const SHOWN_KEY_COUNT = 20;
const SHOWN_KEY_LENGTH = 64;
// JSON leaves these as they are; terminals and line readers do not: DEL, C1 controls, line and paragraph separators,
// and
// what turns the direction of text.
const UNSAFE = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Somebody else's text in quotes for a message: bounded, whole letters, nothing that steers a terminal (fault J5). */
export function quote(text: string, maxLength = SHOWN_KEY_LENGTH): string {
  const shown = text.length > maxLength ? `${text.slice(0, maxLength)}...` : text;
  const escape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(shown.toWellFormed()).replace(UNSAFE, escape);
}

/** A bounded, quoted list of keys for a message. */
export function listKeys(keys: readonly string[]): string {
  if (keys.length === 0) return "none";
  const shown = keys.slice(0, SHOWN_KEY_COUNT).map((key) => quote(key));
  const rest = keys.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}

/** Whether the value is an object that can be looked into by key (no array, not null). */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The keys of `value` that are not in `known`, each as a finding with the known names as the mend. */
export function unknownKeyFindings(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  path: string,
): Finding[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const at = joinPath(path, key);
      return errorAt(at, "unknown_field", `${at} is not a known field`, `Known here: ${known.join(", ")}.`);
    });
}
