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

// Names that only one of the two versions has, with the parts of their tables.
const newerNames = namesOf(
  "utf8 warn string.pack string.unpack string.packsize table.move coroutine.close coroutine.isyieldable " +
    "math.type math.tointeger math.ult math.maxinteger math.mininteger",
);
const olderNames = namesOf(
  "bit32 loadstring unpack setfenv getfenv module table.maxn " +
    "math.pow math.cosh math.sinh math.tanh math.frexp math.ldexp math.log10",
);

function namesOf(list: string): RegExp {
  return new RegExp(`\\b(?:${list.replaceAll(".", "\\.").replaceAll(" ", "|")})\\b`, "g");
}

/** A name in a script that only one of both Luas has. */
export interface OneSidedName {
  readonly name: string;
  /** Counted from 1. */
  readonly line: number;
  readonly onlyIn: "the Lua 5.2 of lakeFS" | "the Lua 5.4 of the emulator";
}

/** Names of libraries in a script that only one of both Luas has; fields of a script's own tables count, too. */
export function findOneSidedNames(code: string): OneSidedName[] {
  const plain = code.replaceAll(pieces, (piece) =>
    /^(?:--|["'[])/.test(piece) ? piece.replaceAll(/[^\n]/g, " ") : piece,
  );
  const lineOf = (at: number): number => plain.slice(0, at).split("\n").length;
  const found = (names: RegExp, onlyIn: OneSidedName["onlyIn"]): OneSidedName[] =>
    [...plain.matchAll(names)]
      .filter(({ index }) => plain[index - 1] !== "." && plain[index - 1] !== ":")
      .map(({ 0: name, index }) => ({ name, line: lineOf(index), onlyIn }));
  return [...found(newerNames, "the Lua 5.4 of the emulator"), ...found(olderNames, "the Lua 5.2 of lakeFS")];
}
