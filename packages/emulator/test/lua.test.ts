import { beforeAll, expect, test } from "vitest";
import { createLua } from "../src/lakefs/hooks/lua.ts";
import { findNewerSyntax } from "../src/lakefs/hooks/newer-lua.ts";

const TIME_LIMIT_MS = 200;
const lua = createLua(TIME_LIMIT_MS);
beforeAll(() => lua.ready());

const run = (code: string, globals: Record<string, unknown> = {}): ReturnType<typeof lua.run> =>
  lua.run({ code, globals });

test("a script prints, and sees its globals as tables that count from 1", () => {
  const globals = { action: { commit: { parents: ["p1", "p2"], metadata: { k: "v" } } } };
  const code = 'print(action.commit.parents[1], #action.commit.parents, action.commit.metadata["k"], nil, true)';
  expect(run(code, globals)).toEqual({ output: "p1\t2\tv\tnil\ttrue\n", error: undefined });
});

test("an error says where, and what was printed before is kept", () => {
  const result = run('print("before")\nerror("no good")');
  expect(result.output).toBe("before\n");
  expect(result.error).toContain('[string "lua"]:2: no good');
});

test.for(["while true do end", "pcall(function() while true do end end) while true do end"])(
  "a script without an end is ended: %s",
  (code) => {
    const before = performance.now();
    expect(run(code).error).toContain("timeout");
    expect(performance.now() - before).toBeLessThan(20 * TIME_LIMIT_MS);
    expect(run("print(1)").error).toBeUndefined();
  },
);

test("a script that wants all memory is ended", () => {
  expect(run('local t = {} for i = 1, 1e9 do t[i] = string.rep("x", 1e6) .. i end').error).toBeDefined();
  expect(run("print(1)").error).toBeUndefined();
});

test("scripts share nothing", () => {
  run("leaked = 1");
  expect(run("print(leaked)").output).toBe("nil\n");
});

test.for(["io", "dofile", "loadfile", "package", "debug", "os.execute", "os.getenv", "os.remove", "js"])(
  "a script has no %s",
  (name) => {
    expect(run(`print(${name})`).output).toBe("nil\n");
  },
);

test("what the real server's Lua has and this one has not is refused by its name", () => {
  expect(run('lakefs.stat_object("r", "b", "p")').error).toContain("lakefs.stat_object is not in the emulator");
  expect(run('require("net/http")').error).toContain("the Lua library net/http is not in the emulator");
  expect(run('require("hook").fail("as the hook says")').error).toContain("as the hook says");
});

test.for([
  ["x = 7 // 2", "//"],
  ["x = 1 << 2", "<<"],
  ["x = 8 >> 2", ">>"],
  ["x = a & b", "&"],
  ["x = a | b", "|"],
  ["x = ~b", "~"],
  ["local x < const > = 1", "<const>"],
] as const)("what only a newer Lua reads is found: %s", ([code, token]) => {
  expect(findNewerSyntax(`-- fine\n${code}`)).toEqual({ token, line: 2 });
  expect(run(code).error).toContain(`\`${token}\` is not in the Lua 5.2 of lakeFS`);
});

test.for([
  "if a ~= b then end",
  'x = "7 // 2 | ~ <const>"',
  "x = '1 << 2 \\' >> 3'",
  "-- 7 // 2",
  "--[[ 7 // 2\n1 << 2 ]] x = 1",
  "x = [==[ a & b ]] | ]==]",
  "x = a < b and b > c",
])("what both versions read is let through: %s", (code) => {
  expect(findNewerSyntax(code)).toBeUndefined();
});
