/** A token of a loop condition. */
export type Token =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "name"; readonly value: string }
  | { readonly kind: "sign"; readonly value: string };

// A number, a text in either kind of quotes, a name, or a sign; the longest sign first.
const NUMBER = /(\d+(?:\.\d+)?)/.source;
const TEXT = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/.source;
const NAME = /([A-Za-z_$][\w$]*)/.source;
const SIGN = /(===|!==|==|!=|<=|>=|&&|\|\||[-+*/%<>!().;{}[\]?:])/.source;
const PATTERN = new RegExp(`\\s*(?:${NUMBER}|${TEXT}|${NAME}|${SIGN})`, "y");

/** Splits a condition; undefined where something else stands in it. */
export function tokenize(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  const source = text.trim();
  let at = 0;
  while (at < source.length) {
    PATTERN.lastIndex = at;
    const match = PATTERN.exec(source);
    if (match === null) return undefined;
    tokens.push(toToken(match));
    at = PATTERN.lastIndex;
  }
  return tokens;
}

function toToken(match: RegExpExecArray): Token {
  const [, number, single, double, name, sign] = match;
  if (number !== undefined) return { kind: "number", value: Number(number) };
  const text = single ?? double;
  if (text !== undefined) return { kind: "text", value: text.replaceAll(/\\(.)/g, "$1") };
  if (name !== undefined) return { kind: "name", value: name };
  return { kind: "sign", value: sign ?? "" };
}
