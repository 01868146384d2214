const maxWordsLength = 600;

/** Cuts the query of every address in a text: a presigned one holds a token (case A02). */
export function cutQueries(text: string): string {
  return text.replaceAll(/(\bhttps?:\/\/[^\s"'<>?]+)\?[^\s"'<>]*/gi, "$1?(cut)");
}

/**
 * Makes a server's words fit to be shown: one line, bounded, no presigned query, none of the given secrets (case A01).
 */
export function safeWords(text: string, secrets: readonly string[]): string {
  let words = cutQueries(text);
  for (const secret of secrets) {
    if (secret !== "") words = words.replaceAll(secret, "(secret)");
  }
  words = words.replaceAll(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ").trim();
  return words.length <= maxWordsLength ? words : `${words.slice(0, maxWordsLength).toWellFormed()}...`;
}
