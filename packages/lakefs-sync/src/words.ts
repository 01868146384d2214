// What steers a terminal or ends a line: C0 and C1 controls, DEL, line and paragraph separators, and the characters
// that
// turn the direction of text (fault J5).
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const UNSAFE_RUNS = new RegExp(`${UNSAFE.source}+`, "g");

/** Longest message of an error. */
export const maxMessageLength = 8000;

/** A message with others' names in it as one bounded line of whole letters; what is unsafe is shown as `\\u000a`. */
export function visibleLine(text: string, maxLength: number = maxMessageLength): string {
  const shown = text.length <= maxLength ? text : `${text.slice(0, maxLength - 3)}...`;
  return shown.toWellFormed().replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Others' sentences with a blank for each run of what is unsafe. */
export function blankControls(text: string): string {
  return text.toWellFormed().replace(UNSAFE_RUNS, " ").trim();
}
