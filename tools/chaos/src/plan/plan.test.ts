import { expect, it } from "vitest";
import { CATALOG } from "./catalog.ts";
import { dealFaults } from "./deck.ts";
import { createDice } from "./dice.ts";
import { faultName, strikesInBody, type Fault } from "./fault.ts";
import { requestKind } from "./requests.ts";
import { planWorkflows } from "./workload.ts";

function first<T>(from: Generator<T, never>, count: number): T[] {
  return Array.from({ length: count }, () => from.next().value);
}

it("plans the same workflows and faults for the same seed, and others for another", () => {
  expect(first(planWorkflows(7), 60)).toEqual(first(planWorkflows(7), 60));
  expect(first(planWorkflows(7), 60)).not.toEqual(first(planWorkflows(8), 60));
});

it("deals one fault of each list before a second of any, and each fault of the catalogue in the end", () => {
  const lists: readonly (readonly Fault[])[] = Object.values(CATALOG);
  const dealt = first(dealFaults(createDice(3, "faults")), 2000);
  for (const list of lists)
    expect(dealt.slice(0, lists.length).filter((fault) => list.includes(fault))).toHaveLength(1);
  expect(new Set(dealt.map(faultName))).toEqual(new Set(lists.flat().map(faultName)));
  const kills: readonly Fault[] = CATALOG.conductorKills;
  const others = dealt.slice(0, 140).filter((fault) => !kills.includes(fault));
  expect(new Set(others).size).toBeGreaterThan(120);
});

it("strikes once an execution, in an execution whose body gets so far", () => {
  for (const { faults, scripts } of first(planWorkflows(11), 200)) {
    for (const { fault, step, execution } of faults) {
      const script = scripts[step]?.[execution] ?? scripts[step]?.at(-1) ?? [];
      const deeds = script.map(({ do: deed }) => deed);
      expect(deeds.some((deed) => deed.startsWith("fail"))).toBe(false);
      if (strikesInBody(fault)) expect(deeds).toContain("await_death");
    }
    for (const each of scripts) expect(each.at(-1)?.some(({ do: deed }) => deed.startsWith("fail"))).toBe(false);
  }
});

it.each([
  ["POST", "/api/v1/repositories/r/refs/abc/merge/t-00001-0", "", "merge"],
  ["GET", "/api/v1/repositories/r/refs/abc/commits", "", "read_log"],
  ["GET", "/api/v1/repositories/r/refs/abc/objects", "", "download"],
  ["POST", "/api/v1/repositories/r/branches", "", "create_staging"],
  ["POST", "/api/v1/repositories/r/branches/perago-stg-x/commits", "", "commit_staging"],
  ["POST", "/api/v1/repositories/r/branches/perago-stg-x/objects", "", "upload"],
  ["DELETE", "/api/v1/repositories/r/branches/perago-stg-x", "", "delete_staging"],
  ["GET", "/api/v1/repositories/r/branches?prefix=t-00001-0&amount=1&show_hidden=true", "", "read_branch"],
  ["GET", "/api/v1/repositories/r/branches?prefix=perago-stg-x&amount=1000&show_hidden=true", "", undefined],
  ["GET", "/api/tasks/poll/batch/chaos.step", "", "poll"],
  ["POST", "/api/tasks", '{"extendLease":true}', "heartbeat"],
  ["POST", "/api/tasks", '{"status":"COMPLETED"}', "report"],
  ["GET", "/api/tasks/0000-1", "", "read_task"],
  ["GET", "/api/metadata/taskdefs/chaos.step", "", undefined],
])("knows %s %s", (method, target, body, kind) => {
  const [path = "", query = ""] = target.split("?");
  expect(requestKind({ method, path, query, body })).toBe(kind);
});
