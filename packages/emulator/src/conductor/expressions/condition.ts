import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { tokenize, type Token } from "./condition-tokens.ts";

/**
 * A loop condition. Conductor runs any JavaScript; this reads the part that loops use: paths from `$`, numbers, texts,
 * true, false, null, `! - + * / %`, comparisons, `&&`, `||`, `a ? b : c`, and `if (a) { b; } else { c; }`.
 */
export type Condition = (scope: JsonObject) => Json;

/** Longest condition, letters. */
const MAX_LENGTH = 4_000;

/** Parses a condition; undefined where it is not of the part that is known here. */
export function parseCondition(text: string): Condition | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const tokens = tokenize(text);
  if (tokens === undefined) return undefined;
  const parser = new Parser(tokens);
  try {
    const condition = parser.statement();
    return parser.isAtEnd() ? condition : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Is this value true in JavaScript's sense? */
export function isTruthy(value: Json): boolean {
  return Boolean(value);
}

const BINARY: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["===", "!==", "==", "!="],
  ["<", "<=", ">", ">="],
  ["+", "-"],
  ["*", "/", "%"],
];

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  isAtEnd(): boolean {
    while (this.#take(";"));
    return this.#at === this.#tokens.length;
  }

  statement(): Condition {
    if (!this.#takeName("if")) {
      const value = this.#conditional();
      while (this.#take(";"));
      return value;
    }
    this.#expect("(");
    const test = this.#conditional();
    this.#expect(")");
    const then = this.#block();
    const otherwise: Condition = this.#takeName("else") ? this.#elseBranch() : () => null;
    return (scope) => (isTruthy(test(scope)) ? then(scope) : otherwise(scope));
  }

  #elseBranch(): Condition {
    return this.#peekName("if") ? this.statement() : this.#block();
  }

  #block(): Condition {
    if (!this.#take("{")) return this.statement();
    const inner = this.statement();
    this.#expect("}");
    return inner;
  }

  #conditional(): Condition {
    const test = this.#binary(0);
    if (!this.#take("?")) return test;
    const yes = this.#conditional();
    this.#expect(":");
    const no = this.#conditional();
    return (scope) => (isTruthy(test(scope)) ? yes(scope) : no(scope));
  }

  #binary(level: number): Condition {
    const signs = BINARY[level];
    if (signs === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (let sign = this.#takeOne(signs); sign !== undefined; sign = this.#takeOne(signs)) {
      left = combine(sign, left, this.#binary(level + 1));
    }
    return left;
  }

  #unary(): Condition {
    if (this.#take("!")) {
      const inner = this.#unary();
      return (scope) => !isTruthy(inner(scope));
    }
    if (this.#take("-")) {
      const inner = this.#unary();
      return (scope) => -Number(inner(scope));
    }
    return this.#primary();
  }

  #primary(): Condition {
    if (this.#take("(")) {
      const inner = this.#conditional();
      this.#expect(")");
      return inner;
    }
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token === undefined || token.kind === "sign") throw new SyntaxError("a value is missing");
    if (token.kind === "name") return this.#named(token.value);
    const { value } = token;
    return () => value;
  }

  #named(name: string): Condition {
    if (name === "true" || name === "false") return () => name === "true";
    if (name === "null" || name === "undefined") return () => null;
    if (name !== "$") throw new SyntaxError(`${name} is not known`);
    const keys: Condition[] = [];
    for (;;) {
      if (this.#take(".")) keys.push(this.#propertyName());
      else if (this.#take("[")) {
        keys.push(this.#conditional());
        this.#expect("]");
      } else break;
    }
    return (scope) => keys.reduce<Json>((value, key) => member(value, key(scope)), scope);
  }

  #propertyName(): Condition {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token?.kind !== "name") throw new SyntaxError("a name is missing");
    return () => token.value;
  }

  #takeOne(signs: readonly string[]): string | undefined {
    return signs.find((sign) => this.#take(sign));
  }

  #take(sign: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "sign" || token.value !== sign) return false;
    this.#at += 1;
    return true;
  }

  #peekName(name: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === "name" && token.value === name;
  }

  #takeName(name: string): boolean {
    if (!this.#peekName(name)) return false;
    this.#at += 1;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) throw new SyntaxError(`${sign} is missing`);
  }
}

function member(value: Json, key: Json): Json {
  if (Array.isArray(value)) return key === "length" ? value.length : (value[Number(key)] ?? null);
  if (!isJsonObject(value)) return null;
  const name = String(key);
  return Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}

function combine(sign: string, left: Condition, right: Condition): Condition {
  if (sign === "&&") return (scope) => (isTruthy(left(scope)) ? right(scope) : left(scope));
  if (sign === "||") return (scope) => (isTruthy(left(scope)) ? left(scope) : right(scope));
  return (scope) => calculate(sign, left(scope), right(scope));
}

function calculate(sign: string, left: Json, right: Json): Json {
  switch (sign) {
    case "==":
    case "===":
      return isEqual(left, right, sign === "===");
    case "!=":
    case "!==":
      return !isEqual(left, right, sign === "!==");
    case "+":
      return typeof left === "string" || typeof right === "string"
        ? `${String(left)}${String(right)}`
        : Number(left) + Number(right);
    case "-":
      return Number(left) - Number(right);
    case "*":
      return Number(left) * Number(right);
    case "/":
      return Number(left) / Number(right);
    case "%":
      return Number(left) % Number(right);
    default:
      return isOrdered(sign, left, right);
  }
}

function isEqual(left: Json, right: Json, isStrict: boolean): boolean {
  if (left === right) return true;
  if (isStrict || left === null || right === null) return false;
  return typeof left !== "object" && typeof right !== "object" && Number(left) === Number(right);
}

function isOrdered(sign: string, left: Json, right: Json): boolean {
  const areTexts = typeof left === "string" && typeof right === "string";
  const [a, b] = areTexts ? [left, right] : [Number(left), Number(right)];
  if (sign === "<") return a < b;
  if (sign === "<=") return a <= b;
  if (sign === ">") return a > b;
  return a >= b;
}
