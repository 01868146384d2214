const MASK = "[secret]";

/** The text with every secret replaced. Empty secrets are skipped, longer ones go first. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== "")
    .toSorted((left, right) => right.length - left.length)
    .reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
}
