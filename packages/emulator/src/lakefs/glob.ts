const specials = /[\\^$+.()|{}[\]]/;

/**
 * A pattern of branch names as a regular expression: `*` and `**` any letters, `?` one, `[a-z]` and `[!a-z]` classes,
 * `{a,b}` one of several, a backslash takes the next letter as it is. Undefined where the pattern does not end well.
 */
export function compileGlob(pattern: string): RegExp | undefined {
  let source = "";
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern[at] ?? "";
    if (letter === "*") source += ".*";
    else if (letter === "?") source += ".";
    else if (letter === "\\") {
      at += 1;
      source += escapeLetter(pattern[at] ?? "");
    } else if (letter === "[") {
      const end = pattern.indexOf("]", at + 1);
      if (end < 0) return undefined;
      source += `[${pattern
        .slice(at + 1, end)
        .replace(/^!/, "^")
        .replaceAll("\\", "\\\\")}]`;
      at = end;
    } else if (letter === "{") {
      depth += 1;
      source += "(?:";
    } else if (letter === "}" && depth > 0) {
      depth -= 1;
      source += ")";
    } else source += letter === "," && depth > 0 ? "|" : escapeLetter(letter);
  }
  return depth === 0 ? new RegExp(`^${source}$`, "s") : undefined;
}

function escapeLetter(letter: string): string {
  return specials.test(letter) ? `\\${letter}` : letter;
}
