import { expect, test } from "vitest";
import { type GivenNow, step } from "./given.ts";

const INLINE_BYTES = 3_145_728;
const LARGEST_BYTES = 10_485_760;

/** Sizes (case J08, fault J2) and the limit of running tasks (case C10). */
export function limitSuite(given: GivenNow): void {
  /** An output whose JSON is this long. */
  const output = (sizeBytes: number): object => ({ a: "x".repeat(sizeBytes - '{"a":""}'.length) });

  test("an output of 3 MiB is kept inline", async () => {
    const { id, task } = await given().running();
    await given().report(task, "COMPLETED", { outputData: output(INLINE_BYTES) });
    await given().status(id, "COMPLETED");
    expect((await given().readTask(task)).at("outputData", "a").text()).toHaveLength(INLINE_BYTES - 8);
  });

  test("an output above 3 MiB is COMPLETED and reads back empty", async () => {
    const { id, task } = await given().running();
    await given().report(task, "COMPLETED", { outputData: output(INLINE_BYTES + 1) });
    await given().status(id, "COMPLETED");
    const read = await given().readTask(task);
    expect(read.raw).toMatchObject({ status: "COMPLETED", outputData: {} });
    expect(read.at("externalOutputPayloadStoragePath").text()).toMatch(/\.json$/);
  });

  test("an output above 10 MiB ends the task as terminal", async () => {
    const { id, task } = await given().running({ retryCount: 3 });
    await given().report(task, "COMPLETED", { outputData: output(LARGEST_BYTES + 1) });
    await given().status(id, "FAILED");
    const read = await given().readTask(task);
    expect(read.raw).toMatchObject({ status: "FAILED_WITH_TERMINAL_ERROR", outputData: {} });
    expect(read.at("reasonForIncompletion").text()).toMatch(
      /^The payload size: 10485761 of task: .* is greater than the permissible limit: 10485760 bytes$/,
    );
  });

  test("an input above 5 MiB reads back empty, one above 10 MiB is refused with a 500", async () => {
    const name = await given().workflowDef([step("t", "a")]);
    const large = await given().ok(given().api.post(`/workflow/${name}`, output(5_242_881)));
    expect((await given().read(large.text)).raw).toMatchObject({ status: "RUNNING", input: {} });
    const tooLarge = given().api.post(`/workflow/${name}`, output(LARGEST_BYTES + 1));
    await given().refused(tooLarge, 500, /^The payload size: 10485761 of workflow: /);
  });

  test("case C10: with a limit of one a second task waits until the first has ended", async () => {
    const type = await given().task({ concurrentExecLimit: 1 });
    for (let n = 0; n < 2; n += 1) await given().workflow([step(type, "a")]);
    const first = await given().pollNow(type);
    expect(first).toHaveLength(1);
    expect(await given().pollNow(type)).toEqual([]);
    const [task] = first;
    if (task !== undefined) await given().report(task, "COMPLETED");
    expect(await given().pollNow(type)).toHaveLength(1);
  });

  test("case C10: a rate limit limits nothing in a server on SQLite", async () => {
    const type = await given().task({ rateLimitPerFrequency: 1, rateLimitFrequencyInSeconds: 60 });
    for (let n = 0; n < 2; n += 1) await given().workflow([step(type, "a")]);
    const tasks = await given().pollNow(type);
    expect(tasks).toHaveLength(2);
    expect(tasks[0]?.raw).toMatchObject({ rateLimitPerFrequency: 1, rateLimitFrequencyInSeconds: 60 });
  });
}
