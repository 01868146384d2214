/** The longest line that a sink is given, newline included; what is longer is cut and marked. */
export const MAX_LINE_BYTES = 64 * 1024;

// JSON leaves these as they are; terminals and line readers do not (fault J5): DEL, C1 controls, line and paragraph
// separators, and the characters that turn the direction of text.
const UNSAFE = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Whether a text holds a letter that steers a terminal, ends a line or turns the direction of what follows. */
export function holdsControl(text: string): boolean {
  return text.search(CONTROL) >= 0;
}

/** JSON text in which no character can end the line or steer a terminal. It stays the same JSON value. */
export function safeJson(json: string): string {
  return json.toWellFormed().replace(UNSAFE, escape);
}

/** Plain text in which no character can end the line or steer a terminal. */
export function safeText(text: string): string {
  return text.toWellFormed().replace(CONTROL, escape);
}

/**
 * Cuts a text to a number of UTF-16 units, at a letter border, and says that it was cut. Answers whole letters only.
 */
export function cut(text: string, maxLength: number): string {
  return text.length <= maxLength
    ? text.toWellFormed()
    : `${text.slice(0, Math.max(0, maxLength - 3)).toWellFormed()}...`;
}

/** What user code hands over as a text may be anything at run time; it is cut like one. */
export function cutAny(value: unknown, maxLength: number): string {
  return cut(String(value), maxLength);
}

function escape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
