import { findNewerSyntax } from "./newer-lua.ts";
import type { LuaEngine, LuaWasm } from "wasmoon";

/** One script, and what it sees. */
export interface LuaScript {
  readonly code: string;
  /** Global values: `action`, `args`, `username`. */
  readonly globals: Readonly<Record<string, unknown>>;
}

/** What a script did. */
export interface LuaResult {
  /** What it printed. */
  readonly output: string;
  /** Why it failed; undefined where it did not. */
  readonly error: string | undefined;
}

/** A Lua that runs scripts one after another, each in an engine of its own. */
export interface LuaRuntime {
  /** Loads the WASM module; `run` works only after that. Cheap when it is loaded. */
  ready(): Promise<void>;
  /** Runs a script to its end; at most `timeLimitMs`. */
  run(script: LuaScript): LuaResult;
}

const TIME_LIMIT_MS = 5_000;
const MEMORY_LIMIT_BYTES = 64 * 1024 * 1024;

// What reaches the machine goes away, and what lakeFS' Lua 5.2 has not; a library of the real server that is not here
// says so by its name.
const prelude = `
io, dofile, loadfile, package, debug, utf8, warn = nil, nil, nil, nil, nil, nil, nil
string.pack, string.unpack, string.packsize, table.move = nil, nil, nil, nil
math.type, math.tointeger, math.ult, math.maxinteger, math.mininteger = nil, nil, nil, nil, nil
os = { time = os.time, date = os.date, clock = os.clock, difftime = os.difftime }
local function refuse(what) error(what .. " is not in the emulator: use a real lakeFS server for it", 0) end
lakefs = setmetatable({}, { __index = function(_, name) refuse("lakefs." .. tostring(name)) end })
local libraries = { hook = { fail = function(message) error(message, 0) end } }
function require(name)
  if libraries[name] == nil then refuse("the Lua library " .. tostring(name)) end
  return libraries[name]
end
`;

/** A Lua runtime; nothing is loaded yet. */
export function createLua(timeLimitMs: number = TIME_LIMIT_MS): LuaRuntime {
  let loading: Promise<void> | undefined;
  let makeEngine: (() => LuaEngine) | undefined;
  // The library is loaded when the first hook may run, so that the emulator starts faster.
  const load = async (): Promise<void> => {
    const wasmoon = await import("wasmoon");
    const module: LuaWasm = await new wasmoon.LuaFactory().getLuaModule();
    const options = { enableProxy: false, injectObjects: false, traceAllocations: true };
    makeEngine = () => new wasmoon.LuaEngine(module, options);
  };
  return {
    ready() {
      return (loading ??= load());
    },
    run(script) {
      if (makeEngine === undefined) throw new Error("Lua is not loaded");
      return runScript(makeEngine(), script, timeLimitMs);
    },
  };
}

function runScript(engine: LuaEngine, script: LuaScript, timeLimitMs: number): LuaResult {
  const lua = engine.global;
  const printed: string[] = [];
  try {
    lua.setMemoryMax(MEMORY_LIMIT_BYTES);
    lua.set("print", (...values: unknown[]) => {
      printed.push(`${values.map(shown).join("\t")}\n`);
    });
    for (const [name, value] of Object.entries(script.globals)) lua.set(name, value);
    engine.doStringSync(prelude);
    const newer = findNewerSyntax(script.code);
    if (newer !== undefined) {
      throw new Error(`[string "lua"]:${newer.line}: \`${newer.token}\` is not in the Lua 5.2 of lakeFS`);
    }
    const deadlineMs = Date.now() + timeLimitMs;
    lua.setTimeout(deadlineMs);
    lua.loadString(script.code, "lua");
    lua.runSync(0);
    return { output: printed.join(""), error: undefined };
  } catch (error) {
    return { output: printed.join(""), error: describe(error) };
  } finally {
    lua.close();
  }
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "nil";
  if (typeof value === "object") return "table";
  return typeof value === "string" ? value : String(value);
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `runtime error: ${message}\nstack traceback:\n\t[string "lua"]: in main chunk`;
}
