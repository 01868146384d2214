import { badRequest } from "../errors.ts";

/** A step from a commit to another one, or a view of a branch. */
export type RefModifier =
  /** `~n`: n first parents back. */
  | { readonly kind: "ancestor"; readonly steps: number }
  /** `^n`: the n-th parent, counted from 1; 0 is the commit itself. */
  | { readonly kind: "parent"; readonly number: number }
  /** `@`: the branch without what is not committed. */
  | { readonly kind: "committed" }
  /** `$`: the branch's staging area. */
  | { readonly kind: "staging" };

/** A ref taken apart. */
export interface ParsedRef {
  readonly base: string;
  readonly modifiers: readonly RefModifier[];
}

/** 400: a ref that does not lead to a commit. */
export function invalidRef(detail?: string): Error {
  return badRequest(`ref: invalid value: validation error${detail === undefined ? "" : `: ${detail}`}`);
}

/** Takes a ref apart; 400 where it cannot be one. */
export function parseRef(ref: string): ParsedRef {
  const [base = "", ...parts] = ref.match(/(^|[~^@$])[^^~@$]*/g) ?? [];
  if (base === "") throw invalidRef();
  return { base, modifiers: parts.map(parseModifier) };
}

function parseModifier(part: string): RefModifier {
  const rest = part.slice(1);
  if (part.startsWith("@") || part.startsWith("$")) {
    if (rest !== "") throw invalidRef();
    return { kind: part === "@" ? "committed" : "staging" };
  }
  if (!/^\d*$/.test(rest)) throw invalidRef();
  const count = rest === "" ? 1 : Number(rest);
  return part.startsWith("~") ? { kind: "ancestor", steps: count } : { kind: "parent", number: count };
}
