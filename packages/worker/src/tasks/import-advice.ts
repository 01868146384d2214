import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { cut } from "../telemetry/line.ts";

/** What is wrong with a module that cannot be imported, and the mend. */
export interface ImportAdvice {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const MAX_MESSAGE_LENGTH = 2_000;
const SHIPPED_BESIDE: ReadonlySet<string> = new Set(["@perago/taskdef", "zod"]);

/** Turns what `import()` of a task module threw into advice, by Node's error codes. Node 24. */
export function adviseOnImportError(thrown: unknown, modulePath: string): ImportAdvice {
  const error = readError(thrown);
  const name = path.basename(modulePath);
  const advice = byCode(error, modulePath) ??
    byText(error) ??
    bySyntax(error) ?? {
      code: "module_throws",
      hint: "Fix what the module does while it is imported; work belongs in run().",
    };
  const place = error.place === undefined ? "" : ` (${error.place})`;
  const message = `${name} cannot be imported: ${error.name}: ${firstParagraph(error.message)}${place}`;
  return { ...advice, message: cut(message, MAX_MESSAGE_LENGTH) };
}

interface ReadError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** File and line that a syntax error names. */
  readonly place?: string;
}

type Advice = Pick<ImportAdvice, "code" | "hint">;

function byCode(error: ReadError, modulePath: string): Advice | undefined {
  switch (error.code) {
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
      return { code: "module_syntax", hint: syntaxHint(error.message) };
    case "ERR_INVALID_TYPESCRIPT_SYNTAX":
      return { code: "module_syntax", hint: "This is not valid TypeScript; run tsc on the module to see where." };
    case "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING": {
      const hint =
        "Node loads no .ts below node_modules: move the module out of it, or build the package to JavaScript.";
      return { code: "module_in_node_modules", hint };
    }
    case "ERR_MODULE_NOT_FOUND":
      return notFound(error.message, modulePath);
    case "ERR_UNSUPPORTED_DIR_IMPORT":
      return { code: "module_not_found", hint: "Name the file of the folder, with its ending: ./folder/index.ts." };
    case "ERR_PACKAGE_PATH_NOT_EXPORTED":
      return { code: "module_not_found", hint: "Import only what the package's exports name." };
    case "ERR_UNKNOWN_FILE_EXTENSION":
      return {
        code: "module_extension",
        hint: "Import .ts, .mts, .mjs or .js; read other files with node:fs in run().",
      };
    case "ERR_IMPORT_ATTRIBUTE_MISSING":
      return { code: "module_syntax", hint: 'Write import data from "./data.json" with { type: "json" }.' };
    default:
      return undefined;
  }
}

function syntaxHint(message: string): string {
  const general = "Types are stripped, not compiled: use syntax that vanishes without its types (erasableSyntaxOnly).";
  if (/enum/.test(message)) return `${general} Write const Color = { red: "red" } as const instead of an enum.`;
  if (/parameter property/.test(message)) return `${general} Declare the field and assign it in the constructor.`;
  if (/namespace|module/.test(message)) return `${general} Use a module of its own instead of a namespace.`;
  if (/export assignment|import =/.test(message))
    return `${general} Write import and export instead of import = and export =.`;
  return general;
}

function notFound(message: string, modulePath: string): Advice {
  const packageName = /Cannot find package '([^']+)'/.exec(message)?.[1];
  if (packageName !== undefined) {
    const beside = [...SHIPPED_BESIDE].find((known) => packageName === known || packageName.startsWith(`${known}/`));
    const folder = path.basename(path.dirname(modulePath));
    const hint =
      beside === undefined
        ? `Install ${packageName} where the module lies (npm install ${packageName} in ${folder} or above).`
        : `Install both beside the module (npm install @perago/taskdef zod in ${folder} or above): ` +
          "Node looks for packages from the module's folder upwards, not from the worker's.";
    return { code: "package_not_found", hint };
  }
  const file = /Cannot find module '([^']+)'/.exec(message)?.[1];
  const twin = file === undefined ? undefined : existingTwin(file);
  const hint =
    twin === undefined
      ? "Check the path; relative imports need the file's ending."
      : `Write the file's real name in the import: ${twin}.`;
  return { code: "module_not_found", hint };
}

/** The file that was meant: `./x.js` or `./x` for `./x.ts`. */
function existingTwin(missing: string): string | undefined {
  const file = missing.startsWith("file:") ? fileURLToPath(missing) : missing;
  const bare = file.replace(/\.[cm]?jsx?$/, "");
  const candidates = [".ts", ".mts", ".mjs", ".js"].map((ending) => `${bare}${ending}`);
  const found = candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile());
  return found === undefined ? undefined : path.basename(found);
}

function byText({ name, message }: ReadError): Advice | undefined {
  if (name === "ReferenceError" && /^(require|module|exports|__filename|__dirname) is not defined/.test(message)) {
    const hint = "Task modules are ES modules: write import and export; import.meta.dirname instead of __dirname.";
    return { code: "module_commonjs", hint };
  }
  if (/Cannot use import statement outside a module|Unexpected token 'export'/.test(message)) {
    const hint = 'Put "type": "module" into the nearest package.json, or name the file .mts or .mjs.';
    return { code: "module_commonjs", hint };
  }
  if (/is a CommonJS module, which may not support/.test(message)) {
    return { code: "module_commonjs", hint: "Import the default of that CommonJS module and take the name from it." };
  }
  if (/does not provide an export named/.test(message)) {
    const hint = "If it is a type, write import type { ... } (verbatimModuleSyntax); else correct the name.";
    return { code: "module_syntax", hint };
  }
  return undefined;
}

/** Node says no more than "Invalid or unexpected token" of a decorator. */
function bySyntax(error: ReadError): Advice | undefined {
  if (error.name !== "SyntaxError") return undefined;
  const hint =
    error.message === "Invalid or unexpected token"
      ? "Decorators do not run here: write plain functions. Else run tsc on the module to see where."
      : "Run tsc on the module to see where.";
  return { code: "module_syntax", hint };
}

function readError(thrown: unknown): ReadError {
  if (typeof thrown !== "object" || thrown === null || !("message" in thrown)) {
    return { name: "thrown", message: String(thrown) };
  }
  const name = "name" in thrown ? String(thrown.name) : "Error";
  const code = "code" in thrown && typeof thrown.code === "string" ? { code: thrown.code } : {};
  // V8 puts "file:line" in front of a syntax error's stack.
  const stack = "stack" in thrown && typeof thrown.stack === "string" ? thrown.stack : "";
  const place = name === "SyntaxError" ? /^(?:file:\/\/)?(\/\S+:\d+)$/m.exec(stack)?.[1] : undefined;
  return {
    name,
    message: String(thrown.message),
    ...code,
    ...(place === undefined ? {} : { place: path.basename(place) }),
  };
}

function firstParagraph(message: string): string {
  return message.split("\n")[0] ?? "";
}
