import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { describeFailure } from "../scripts/lib/conductor.ts";

const VARIABLES = [
  "CONDUCTOR_AUTH_KEY",
  "CONDUCTOR_AUTH_SECRET",
  "CONDUCTOR_SERVER_URL",
  "LAKECTL_CREDENTIALS_ACCESS_KEY_ID",
  "LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY",
  "LAKECTL_SERVER_ENDPOINT_URL",
  "PERAGO_CACHE_MAX_SIZE",
  "PERAGO_CACHE_ROOT",
  "PERAGO_EXECUTION_MODE",
  "PERAGO_FAILURE_REASON_MAX_LENGTH",
  "PERAGO_HARD_FENCE",
  "PERAGO_LOG_FILE_MAX_SIZE",
  "PERAGO_LOG_LEVEL",
  "PERAGO_LOG_RETENTION",
  "PERAGO_LOG_ROOT",
  "PERAGO_OUTPUT_MAX_SIZE",
  "PERAGO_SHUTDOWN_FORCE_KILL_AFTER",
  "PERAGO_WORKER_ID_PREFIX",
  "PERAGO_WORKSPACE_GC_INTERVAL",
  "PERAGO_WORKSPACE_GC_TTL",
  "PERAGO_WORKSPACE_ROOT",
];

test(".env.example names every setting that the host has, once, and holds no secret", async () => {
  const lines = (await readFile(new URL("../.env.example", import.meta.url), "utf8")).split("\n");
  const settings = lines.flatMap((line) => line.match(/^#?([A-Z][A-Z0-9_]+)=(.*)$/)?.slice(1, 3) ?? []);
  expect(settings.filter((_, i) => i % 2 === 0).toSorted()).toEqual(VARIABLES);
  const secrets = lines.filter((line) => /(SECRET|KEY)[A-Z_]*=./.test(line));
  expect(secrets).toEqual([]);
});

test("a workflow that did not complete is described by the last task that failed", () => {
  const ended = {
    workflowId: "wf-1",
    status: "FAILED" as const,
    tasks: [
      { referenceTaskName: "validate", status: "COMPLETED" as const },
      { referenceTaskName: "build", status: "FAILED" as const, reasonForIncompletion: "publish_fence: moved" },
    ],
  };
  expect(describeFailure(ended)).toBe("Workflow wf-1 is FAILED at build (FAILED): publish_fence: moved");
  expect(describeFailure({ workflowId: "wf-2", status: "TERMINATED", reasonForIncompletion: "by hand" })).toBe(
    "Workflow wf-2 is TERMINATED: by hand",
  );
});
