import { describe, expect, it } from "vitest";
import { resolveDomain } from "./domain.ts";

const taskName = "features.build";

describe("task domain", () => {
  it.each([
    [{ flag: "f", variables: { CONDUCTOR_WORKER_ALL_DOMAIN: "a" } }, "f"],
    [{ flag: undefined, variables: { CONDUCTOR_WORKER_ALL_DOMAIN: "a" } }, "a"],
    [
      {
        flag: undefined,
        variables: { CONDUCTOR_WORKER_ALL_DOMAIN: "a", "CONDUCTOR_WORKER_FEATURES.BUILD_DOMAIN": "t" },
      },
      "t",
    ],
    [{ flag: undefined, variables: { CONDUCTOR_WORKER_FEATURES_BUILD_DOMAIN: "u" } }, "u"],
    [
      {
        flag: undefined,
        variables: { "conductor.worker.features.build.domain": "d", CONDUCTOR_WORKER_ALL_DOMAIN: "a" },
      },
      "d",
    ],
    [{ flag: "", variables: { CONDUCTOR_WORKER_ALL_DOMAIN: " " } }, undefined],
    [{ flag: undefined, variables: { CONDUCTOR_WORKER_OTHER_DOMAIN: "o" } }, undefined],
  ])("the flag goes before the task's variable, and that before the one for all: %j", (input, expected) => {
    expect(resolveDomain({ taskName, ...input })).toBe(expected);
  });
});
