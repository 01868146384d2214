import { badRequest } from "../errors.ts";

/** What a branch may be called. */
export const branchPattern = /^\w[-\w]*$/;

/** 400 for a name that no branch can have. `argument` is the real server's word for the place. */
export function checkBranchName(name: string, argument = "branch"): void {
  if (!branchPattern.test(name)) throw badRequest(`argument ${argument}: branch id: invalid value: validation error`);
}

/** 400 for a ref that cannot be one. */
export function checkRef(ref: string, argument = "ref"): void {
  if (ref === "") throw badRequest(`argument ${argument}: required value: validation error`);
  if (/\s/.test(ref)) throw badRequest(`argument ${argument}: ref: invalid value: validation error`);
}

/** 400 for a name that no tag can have. */
export function checkTagName(name: string): void {
  const isBad =
    name === "" ||
    name === "@" ||
    name.endsWith(".") ||
    name.endsWith(".lock") ||
    /\.\.|\/|@\{|[\^:?*[\\]/.test(name) ||
    /[\0- ]/.test(name);
  if (isBad) throw badRequest("argument tag: tag id: invalid value: validation error");
}
