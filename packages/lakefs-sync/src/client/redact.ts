import { blankControls } from "../words.ts";

const maxWordsLength = 600;
/** Nothing after this many letters is looked at: the shown part is far shorter, and work stays bounded. */
const maxReadLength = 8 * maxWordsLength;

/** Cuts the query of every address in a text: a presigned one holds a token (case A02). */
export function cutQueries(text: string): string {
  return text.replaceAll(/(\bhttps?:\/\/[^\s"'<>?]+)\?[^\s"'<>]*/gi, "$1?(cut)").replaceAll(presignedPart, "(cut)");
}

// A query without its address before it: `\u0026X-Amz-Signature=...` in JSON text, or a path alone.
const presignedPart = /x-(?:amz|goog)-[\w-]{1,40}(?:=|%3d)[^\s&"'<>\\]*/gi;

/**
 * Makes a server's words fit to be shown: one line, bounded, no presigned query, none of the given secrets (case A01).
 */
export function safeWords(text: string, secrets: readonly string[]): string {
  let words = text;
  // Before anything is cut: a secret at the border would leave its first letters behind.
  for (const secret of secrets) {
    if (secret === "") continue;
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      words = words.replaceAll(form, "(secret)");
    }
  }
  words = blankControls(cutQueries(words.slice(0, maxReadLength)));
  return words.length <= maxWordsLength ? words : `${words.slice(0, maxWordsLength).toWellFormed()}...`;
}
