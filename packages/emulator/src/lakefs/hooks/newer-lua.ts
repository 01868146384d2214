/** Something that Lua 5.4 reads and lakeFS' Lua 5.2 does not. */
export interface NewerSyntax {
  /** As it stands in the script. */
  readonly token: string;
  /** Counted from 1. */
  readonly line: number;
}

// Comments and texts first: what is in them is no syntax. Then what both versions have and begins alike; then the newer.
const pieces =
  /--\[(=*)\[[\s\S]*?\]\1\]|--[^\n]*|\[(=*)\[[\s\S]*?\]\2\]|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'|~=|\/\/|<<|>>|[&|~]|<\s*(?:const|close)\s*>|\n/g;

/** The first thing in a script that only the newer Lua reads: a script that has one passes here and fails on lakeFS. */
export function findNewerSyntax(code: string): NewerSyntax | undefined {
  let line = 1;
  for (const [piece] of code.matchAll(pieces)) {
    if (/^(?:\/\/|<<|>>|[&|~]$|<)/.test(piece)) return { token: piece.replaceAll(/\s/g, ""), line };
    line += piece.split("\n").length - 1;
  }
  return undefined;
}
