/** Something that Lua 5.4 reads and lakeFS' Lua 5.2 does not. */
export interface NewerSyntax {
  /** As it stands in the script. */
  readonly token: string;
  /** Counted from 1. */
  readonly line: number;
}

// Comments and texts first: what is in them is no syntax. Then what both versions have and begins alike, and the newer.
const pieces = new RegExp(
  [
    String.raw`--\[(=*)\[[\s\S]*?\]\1\]`,
    String.raw`--[^\n]*`,
    String.raw`\[(=*)\[[\s\S]*?\]\2\]`,
    String.raw`"(?:\\[\s\S]|[^"\\\n])*"`,
    String.raw`'(?:\\[\s\S]|[^'\\\n])*'`,
    String.raw`~=|\/\/|<<|>>|[&|~]|<\s*(?:const|close)\s*>|\n`,
  ].join("|"),
  "g",
);

/** The first thing in a script that only the newer Lua reads: a script that has one passes here and fails on lakeFS. */
export function findNewerSyntax(code: string): NewerSyntax | undefined {
  let line = 1;
  for (const [piece] of code.matchAll(pieces)) {
    if (/^(?:\/\/|<<|>>|[&|~]$|<)/.test(piece)) return { token: piece.replaceAll(/\s/g, ""), line };
    line += piece.split("\n").length - 1;
  }
  return undefined;
}
