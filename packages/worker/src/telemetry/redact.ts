const SHORTEST_SECRET_LENGTH = 4;
const REPLACEMENT = "[redacted]";
// Query and user part of any URL: presigned URLs carry their signature there (rule R3).
const URL_PARTS = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)([^\s"'<>\\/?#]*@)?([^\s"'<>\\?]*)(\?[^\s"'<>\\#]*)?/gi;

/** Known secret values, with every form in which one may show. Made once, used for every line. */
export interface Redactor {
  /** The text without secrets and without URL queries and user parts. */
  redact(text: string): string;
}

/**
 * Prepares the redaction of `secrets`. Besides the plain value its base64, URL-encoded and JSON-escaped forms are
 * replaced; of a pair of secrets also base64 of `key:secret` (HTTP basic). Values under 4 characters are ignored: they
 * would blot out plain words.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const plain = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST_SECRET_LENGTH);
  const pairs = plain.flatMap((key) => plain.filter((other) => other !== key).map((other) => `${key}:${other}`));
  const forms = new Set(plain.flatMap(encodedForms));
  for (const secret of plain) {
    forms.add(secret);
    forms.add(JSON.stringify(secret).slice(1, -1));
    forms.add(encodeURIComponent(secret));
  }
  for (const pair of pairs) for (const form of encodedForms(pair)) forms.add(form);
  // Longest first, so that no form leaves the tail of a longer one behind.
  const ordered = [...forms].toSorted((a, b) => b.length - a.length);
  return {
    redact: (text) => {
      let clean = text;
      for (const form of ordered) if (clean.includes(form)) clean = clean.replaceAll(form, REPLACEMENT);
      return clean.includes("://") ? clean.replace(URL_PARTS, withoutQuery) : clean;
    },
  };
}

/** {@link createRedactor} for one text. */
export function redact(text: string, secrets: readonly string[]): string {
  return createRedactor(secrets).redact(text);
}

function encodedForms(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const base64 = bytes.toString("base64");
  const bare = base64.replace(/=+$/, "");
  return [base64, bare, bytes.toString("base64url")].filter((form) => form.length >= SHORTEST_SECRET_LENGTH);
}

function withoutQuery(_match: string, scheme: string, user?: string, rest?: string, query?: string): string {
  const shownUser = user === undefined ? "" : `${REPLACEMENT}@`;
  return `${scheme}${shownUser}${rest ?? ""}${query === undefined ? "" : `?${REPLACEMENT}`}`;
}
