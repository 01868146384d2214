import { compileGlob } from "./glob.ts";
import { errorAt, isRecord, unknownKeyFindings, type Finding } from "./finding.ts";

/** What must (or must not) be in the workspace folder, as plain serialisable data. Paths are relative to the folder. */
export type Guardrail = RequireFile | RequireDir | RequireGlob | ForbidGlob;

/** A file must be there. */
export interface RequireFile {
  readonly kind: "requireFile";
  readonly path: string;
}

/** A directory with at least one file below it must be there (rule T10: an empty directory is not content). */
export interface RequireDir {
  readonly kind: "requireDir";
  readonly path: string;
}

/** At least `min` and, where given, at most `max` files must match. */
export interface RequireGlob {
  readonly kind: "requireGlob";
  readonly pattern: string;
  readonly min: number;
  readonly max?: number;
}

/** No file may match. */
export interface ForbidGlob {
  readonly kind: "forbidGlob";
  readonly pattern: string;
}

/** How many files {@link requireGlob} wants. */
export interface GlobCount {
  /** Files at least; default 1. */
  readonly min?: number;
  /** Files at most; default no limit. */
  readonly max?: number;
}

/** One guardrail that does not hold: which, what is wrong, and the mend. */
export interface GuardrailViolation {
  readonly guardrail: Guardrail;
  readonly message: string;
  readonly hint: string;
}

/** Demands a file at `path`, relative to the workspace folder, segments joined by `/`. */
export function requireFile(path: string): RequireFile {
  return { kind: "requireFile", path };
}

/** Demands at least one file below the directory `path` (rule T10). One `/` at the end is dropped. */
export function requireDir(path: string): RequireDir {
  return { kind: "requireDir", path: path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path };
}

/** Demands that at least `min` (default 1) and at most `max` (default: no limit) files match the glob. */
export function requireGlob(pattern: string, count: GlobCount = {}): RequireGlob {
  const { min = 1, max } = count;
  return max === undefined ? { kind: "requireGlob", pattern, min } : { kind: "requireGlob", pattern, min, max };
}

/** Demands that no file matches the glob. */
export function forbidGlob(pattern: string): ForbidGlob {
  return { kind: "forbidGlob", pattern };
}

const FIELDS_BY_KIND: Readonly<Record<string, readonly string[]>> = {
  requireFile: ["kind", "path"],
  requireDir: ["kind", "path"],
  requireGlob: ["kind", "pattern", "min", "max"],
  forbidGlob: ["kind", "pattern"],
};

/** Checks a list of guardrails of unknown origin; all findings, with `path` as their root. */
export function checkGuardrails(list: unknown, path: string): Finding[] {
  if (!Array.isArray(list)) {
    return [errorAt(path, "guardrail_list", `${path} is not a list`, "Give an array of guardrails.")];
  }
  const items: readonly unknown[] = list;
  return items.flatMap((item, index) => checkGuardrail(item, `${path}[${index}]`));
}

/** Whether a value of unknown origin (a message between processes) is a well-formed guardrail. */
export function isGuardrail(value: unknown): value is Guardrail {
  return checkGuardrail(value, "").length === 0;
}

function checkGuardrail(item: unknown, path: string): Finding[] {
  const kind = isRecord(item) && typeof item["kind"] === "string" ? item["kind"] : "";
  const fields = FIELDS_BY_KIND[kind];
  if (!isRecord(item) || fields === undefined) {
    const hint = "Use requireFile, requireDir, requireGlob or forbidGlob.";
    return [errorAt(path, "guardrail_kind", `${path} is not a guardrail`, hint)];
  }
  const place = fields.includes("path") ? "path" : "pattern";
  const findings = unknownKeyFindings(item, fields, path);
  findings.push(...checkRelative(item[place], `${path}.${place}`));
  if (kind === "requireGlob") findings.push(...checkCount(item["min"], item["max"], path));
  return findings;
}

function checkRelative(value: unknown, path: string): Finding[] {
  const refuse = (message: string): Finding[] => [
    errorAt(path, "guardrail_path", message, "Name a place inside the workspace folder, like raw/songs.csv."),
  ];
  if (typeof value !== "string") return refuse(`${path} is not a text`);
  if (value.trim() === "") return refuse(`${path} is empty`);
  const shown = JSON.stringify(value);
  if (value.includes("\0")) return refuse(`${path} ${shown} has a NUL character`);
  if (value.startsWith("/")) return refuse(`${path} ${shown} is absolute`);
  const segments = value.split("/");
  if (segments.includes("")) return refuse(`${path} ${shown} has an empty segment`);
  if (segments.includes("..")) return refuse(`${path} ${shown} leaves the workspace with ".."`);
  if (segments.includes(".")) return refuse(`${path} ${shown} has a "." segment`);
  return [];
}

function checkCount(min: unknown, max: unknown, path: string): Finding[] {
  const findings: Finding[] = [];
  const hint = "Use whole numbers of files, min <= max; for none at all use forbidGlob.";
  const refuse = (message: string): number => findings.push(errorAt(path, "guardrail_count", message, hint));
  if (!isCount(min)) refuse(`${path}.min ${String(min)} is not a whole number of files`);
  if (max !== undefined && !isCount(max)) refuse(`${path}.max ${String(max)} is not a whole number of files`);
  if (isCount(min) && isCount(max) && min > max) refuse(`${path}.min ${min} is more than max ${max}`);
  if (min === 0 && max === undefined) refuse(`${path}.min is 0 without a max, so that it holds always`);
  return findings;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

const SHOWN_FILE_COUNT = 5;

/**
 * Judges guardrails on the files of a folder, given as relative paths joined by `/` (directories are not listed).
 * Returns every violation, in the order of the guardrails. Time: guardrails x files.
 */
export function evaluateGuardrails(guardrails: readonly Guardrail[], listing: Iterable<string>): GuardrailViolation[] {
  const files = Array.from(listing);
  return guardrails.flatMap((guardrail) => evaluateOne(guardrail, files) ?? []);
}

function evaluateOne(guardrail: Guardrail, files: readonly string[]): GuardrailViolation | undefined {
  switch (guardrail.kind) {
    case "requireFile":
      return evaluateFile(guardrail, files);
    case "requireDir":
      return evaluateDir(guardrail, files);
    case "requireGlob":
      return evaluateRequired(guardrail, matching(guardrail.pattern, files));
    case "forbidGlob":
      return evaluateForbidden(guardrail, matching(guardrail.pattern, files));
  }
}

function evaluateFile(guardrail: RequireFile, files: readonly string[]): GuardrailViolation | undefined {
  const { path } = guardrail;
  if (files.includes(path)) return undefined;
  const isDirectory = files.some((file) => file.startsWith(`${path}/`));
  const message = `requireFile: ${JSON.stringify(path)} is ${isDirectory ? "a directory" : "missing"}`;
  const hint = isDirectory ? "Use requireDir for a directory." : `Put a file at ${JSON.stringify(path)}.`;
  return { guardrail, message, hint };
}

/** Rule T10: what makes the directory is a file below it. */
function evaluateDir(guardrail: RequireDir, files: readonly string[]): GuardrailViolation | undefined {
  const { path } = guardrail;
  if (files.some((file) => file.startsWith(`${path}/`))) return undefined;
  const isFile = files.includes(path);
  const what = isFile ? "is a file" : "holds no file (an empty directory is not content)";
  const message = `requireDir: ${JSON.stringify(path)} ${what}`;
  const hint = isFile ? "Use requireFile for a file." : `Put at least one file below ${JSON.stringify(path)}.`;
  return { guardrail, message, hint };
}

function evaluateRequired(guardrail: RequireGlob, found: readonly string[]): GuardrailViolation | undefined {
  const { pattern, min, max } = guardrail;
  const count = found.length;
  const head = `requireGlob: ${JSON.stringify(pattern)} matches ${fileCount(count)}`;
  if (count < min) {
    return { guardrail, message: `${head}, at least ${min} needed`, hint: "Add the missing files, or lower min." };
  }
  if (max !== undefined && count > max) {
    const message = `${head}, at most ${max} allowed: ${showFiles(found)}`;
    return { guardrail, message, hint: "Remove the files that are too many, or raise max." };
  }
  return undefined;
}

function evaluateForbidden(guardrail: ForbidGlob, found: readonly string[]): GuardrailViolation | undefined {
  if (found.length === 0) return undefined;
  const head = `forbidGlob: ${JSON.stringify(guardrail.pattern)} matches ${fileCount(found.length)}`;
  return { guardrail, message: `${head}: ${showFiles(found)}`, hint: "Remove them, or narrow the pattern." };
}

function matching(pattern: string, files: readonly string[]): string[] {
  const glob = compileGlob(pattern);
  return files.filter((file) => glob.matches(file));
}

function fileCount(count: number): string {
  return count === 1 ? "1 file" : `${count} files`;
}

function showFiles(files: readonly string[]): string {
  const shown = files.slice(0, SHOWN_FILE_COUNT).map((file) => JSON.stringify(file));
  const rest = files.length - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${rest} more` : shown.join(", ");
}
