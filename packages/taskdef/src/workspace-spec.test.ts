import { describe, expect, test } from "vitest";
import { requireFile } from "./guardrail.ts";
import { checkWorkspaceSpec, normalizePrefix, resolveWorkspace } from "./workspace-spec.ts";

describe("rule T11: what a prefix means", () => {
  test.each([
    ["/", ""],
    ["data", "data/"],
    ["data/", "data/"],
    ["/data", "data/"],
    ["/audio/render/", "audio/render/"],
  ])("%j means the keys below %j", (prefix, keyPrefix) => {
    expect(normalizePrefix(prefix)).toBe(keyPrefix);
    expect(normalizePrefix(keyPrefix)).toBe(keyPrefix);
    expect(checkWorkspaceSpec({ prefix })).toEqual([]);
  });

  test.each([
    undefined,
    7,
    "",
    " ",
    "//",
    "a//b",
    "..",
    "/a/../b",
    "./a",
    "a\0",
    "_lakefs_actions",
    "/_lakefs_actions/x",
  ])("the prefix %j is refused", (prefix) => {
    expect(checkWorkspaceSpec({ prefix }).map(({ code }) => code)).toEqual(["workspace_prefix"]);
  });
});

test("defaults are filled in: writable, no guardrails", () => {
  expect(resolveWorkspace({ prefix: "/a" })).toEqual({
    prefix: "/a",
    keyPrefix: "a/",
    readOnly: false,
    pre: [],
    post: [],
  });
  const full = { prefix: "/a", readOnly: true, pre: [requireFile("x")], post: [requireFile("y")] };
  expect(resolveWorkspace(full)).toEqual({ ...full, keyPrefix: "a/" });
});

test("what is no workspace declaration is refused with every finding", () => {
  expect(checkWorkspaceSpec("/a")).toHaveLength(1);
  const spec = { prefix: "", readOnly: "yes", pre: {}, post: [1], branch: "main" };
  expect(checkWorkspaceSpec(spec).map(({ path }) => path)).toEqual([
    "workspace.branch",
    "workspace.prefix",
    "workspace.readOnly",
    "workspace.pre",
    "workspace.post[0]",
  ]);
});
