import { expect, test } from "vitest";
import { checkTaskName } from "./task-name.ts";

test.each(["features.build", "a", "Build_2-x", "größe", "http"])("the task name %j is accepted", (name) => {
  expect(checkTaskName(name)).toEqual([]);
});

test.each([
  [undefined, /missing/],
  ["", /empty/],
  ["  ", /empty/],
  [" a", /space/],
  ["a:b", /domain/],
  ["a/b", /address/],
  ["a?b", /address/],
  ["a#b", /address/],
  ["a%b", /address/],
  ["a;b", /address/],
  ["a\\b", /address/],
  ["a\nb", /control/],
  ["a\u007fb", /control/],
  ["a\ud800", /Unicode/],
  ["x".repeat(256), /at most 255/],
  ["HTTP", /system task/],
  ["SUB_WORKFLOW", /system task/],
])("the task name %j is refused, and the reason is said", (name, reason) => {
  const findings = checkTaskName(name);
  expect(findings.map(({ code }) => code)).toEqual(["task_name"]);
  expect(findings[0]?.message).toMatch(reason);
});

test("all that is wrong with a name is listed", () => {
  expect(checkTaskName(" a:b/\n").map(({ message }) => message)).toHaveLength(4);
});
