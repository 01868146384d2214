const SHORTEST_SECRET_LENGTH = 4;
const REPLACEMENT = "[redacted]";
// A presigned query whose address stands elsewhere, as in `\u0026X-Amz-Signature=...` of JSON text (case A02).
const PRESIGNED_PART = /x-(?:amz|goog)-[\w-]{1,40}(?:=|%3d)[^\s&"'<>\\]*/gi;
// Query and user part of any URL: presigned URLs carry their signature there (rule R3).
const URL_PARTS = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)([^\s"'<>\\/?#]*@)?([^\s"'<>\\?]*)(\?[^\s"'<>\\#]*)?/gi;

/** Known secret values, with every form in which one may show. Made once, used for every line. */
export interface Redactor {
  /** The text without secrets and without URL queries and user parts. */
  redact(text: string): string;
}

/**
 * Prepares the redaction of `secrets`. Besides the plain value its URL-encoded and JSON-escaped forms are replaced, and
 * its base64 wherever it stands in a longer text (HTTP basic has `key:secret`); of a pair of secrets the whole base64
 * of
 * `key:secret`. Values under 4 characters are ignored: they would blot out plain words.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const plain = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST_SECRET_LENGTH);
  const pairs = plain.flatMap((key) => plain.filter((other) => other !== key).map((other) => `${key}:${other}`));
  const encoded = [...plain, ...pairs].flatMap(base64Forms);
  const forms = new Set([...plain, ...encoded].flatMap(escapedForms));
  // Longest first, so that no form leaves the tail of a longer one behind.
  const ordered = [...forms].toSorted((a, b) => b.length - a.length);
  return {
    redact: (text) => {
      let clean = text;
      for (const form of ordered) if (clean.includes(form)) clean = clean.replaceAll(form, REPLACEMENT);
      return withoutQueries(clean);
    },
  };
}

/** The text without queries and user parts of URLs, known secrets or not (case A02). */
export function withoutQueries(text: string): string {
  const clean = text.includes("://") ? text.replace(URL_PARTS, withoutQuery) : text;
  return clean.replace(PRESIGNED_PART, REPLACEMENT);
}

/** {@link createRedactor} for one text. */
export function redact(text: string, secrets: readonly string[]): string {
  return createRedactor(secrets).redact(text);
}

/** As it stands, in JSON text (once and twice, with and without `\\/`), and in a URL with large and small digits. */
function escapedForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(value);
  const small = url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const form = url.replaceAll("%20", "+");
  return [value, json, JSON.stringify(json).slice(1, -1), json.replaceAll("/", "\\/"), url, small, form];
}

/** Its base64 alone, and what is sure of it at each of the three places that it can have in a longer text. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const shifted = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const isCut = (before + bytes.length) % 3 !== 0;
    return text.slice(before === 0 ? 0 : before + 1, isCut ? -1 : undefined);
  });
  const base64 = bytes.toString("base64");
  return [base64, base64.replace(/=+$/, ""), ...shifted]
    .flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")])
    .filter((form) => form.length >= SHORTEST_SECRET_LENGTH);
}

function withoutQuery(_match: string, scheme: string, user?: string, rest?: string, query?: string): string {
  const shownUser = user === undefined ? "" : `${REPLACEMENT}@`;
  return `${scheme}${shownUser}${rest ?? ""}${query === undefined ? "" : `?${REPLACEMENT}`}`;
}
