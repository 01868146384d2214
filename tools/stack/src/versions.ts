/** A version as its leading numbers, most significant first. */
export type Version = readonly number[];

/** The first dotted number in a text, or undefined: "1.26.4" is [1, 26, 4]. */
export function parseVersion(text: string): Version | undefined {
  const match = /[0-9]+(?:\.[0-9]+){0,3}/.exec(text);
  return match === null ? undefined : match[0].split(".").map(Number);
}

/** Negative, zero or positive, as for sorting; missing numbers count as 0. */
export function compareVersions(left: Version, right: Version): number {
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The version in the answer of `go version`. */
export function parseGoVersion(answer: string): Version | undefined {
  const match = /\bgo([0-9]+\.[0-9]+(?:\.[0-9]+)?)/.exec(answer);
  return match?.[1] === undefined ? undefined : parseVersion(match[1]);
}

/** The version in the answer of `java -version`; "1.8.0_392" is [8, ...], as Java itself counts. */
export function parseJavaVersion(answer: string): Version | undefined {
  const match = /version "([^"]+)"/.exec(answer);
  const version = match?.[1] === undefined ? undefined : parseVersion(match[1]);
  return version?.[0] === 1 ? version.slice(1) : version;
}

/** "1.26.4" again. */
export function formatVersion(version: Version): string {
  return version.join(".");
}
