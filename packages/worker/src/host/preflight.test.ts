import { afterEach, describe, expect, it } from "vitest";
import { createConductorHttp } from "../conductor/http.ts";
import { startFakeEngine, type FakeAnswer, type FakeEngine } from "../conductor/testing/fake-engine.ts";
import { preflight, PreflightError } from "./preflight.ts";
import { taskDescription } from "./testing/task-description.ts";

let server: FakeEngine | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const task = taskDescription({ name: "features.build" });

async function check(answer: FakeAnswer | undefined, checked = task): ReturnType<typeof preflight> {
  server = await startFakeEngine(() => answer);
  return await preflight(createConductorHttp({ serverUrl: server.url }), [checked]);
}

describe("preflight", () => {
  it("a registered definition that equals the code has nothing to say", async () => {
    expect(await check({ json: { ...task.taskDef, createTime: 1, tuned: "by operators" } })).toEqual([]);
  });

  it("a definition that is not registered refuses, naming the task and perago register", async () => {
    const thrown: unknown = await check(undefined).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(PreflightError);
    expect(thrown).toMatchObject({
      message: "Conductor has no task definition features.build",
      hint: "Register it: perago register /tasks/features.build.ts",
    });
  });

  it("case C05, case C06: other timeouts are told with the side that wins, nothing is written", async () => {
    const findings = await check({ json: { ...task.taskDef, responseTimeoutSeconds: 99, retryCount: 7 } });
    expect(findings.map((finding) => finding.message)).toEqual([
      "features.build: Conductor's timeouts win: responseTimeoutSeconds 99 (code: 30)",
      "features.build: the registered definition differs from the code in retryCount",
    ]);
    expect(server?.requests.map((request) => request.method)).toEqual(["GET"]);
  });

  it("rule A5: a task without a time limit is told", async () => {
    const endless = taskDescription({ name: "features.build", timeoutSeconds: 0 });
    const findings = await check({ json: endless.taskDef }, endless);
    expect(findings.map((finding) => finding.code)).toEqual(["body_without_time_limit"]);
  });

  it("a server that is down, refuses the credentials, or is no Conductor is told as such", async () => {
    await expect(check({ status: 401, text: "" })).rejects.toMatchObject({ code: "conductor_unauthorized" });
    await server?.close();
    await expect(check({ text: "<html>a page</html>" })).rejects.toMatchObject({ code: "conductor_unreadable" });
    const url = server?.url ?? "";
    await server?.close();
    await expect(preflight(createConductorHttp({ serverUrl: url }), [task])).rejects.toMatchObject({
      code: "conductor_unreachable",
    });
  });
});
