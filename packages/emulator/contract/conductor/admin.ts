import { expect, test } from "vitest";
import { type GivenNow, states, step } from "./given.ts";

/** Terminate, pause, resume, decide, remove. */
export function adminSuite(given: GivenNow): void {
  endingAndHolding(given);
  deciding(given);
}

function endingAndHolding(given: GivenNow): void {
  test("fault C10: terminate cancels what is open, with the reason", async () => {
    const type = await given().task();
    const id = await given().workflow([step(type, "a"), step(type, "b")]);
    await given().report(await given().poll(type), "COMPLETED");
    const answer = await given().api.delete(`/workflow/${id}?reason=because`);
    expect([answer.status, answer.text]).toEqual([200, ""]);
    const workflow = await given().read(id);
    expect(workflow.raw).toMatchObject({ status: "TERMINATED", reasonForIncompletion: "because" });
    expect(workflow.at("endTime").number()).toBeGreaterThan(0);
    expect(states(workflow)).toEqual(["a COMPLETED", "b CANCELED"]);
    expect(await given().pollNow(type)).toEqual([]);
  });

  test("terminate twice is a 200, of a COMPLETED one a 409, of an unknown one a 404", async () => {
    const { id, task } = await given().running();
    await given().report(task, "COMPLETED");
    await given().status(id, "COMPLETED");
    await given().refused(given().api.delete(`/workflow/${id}`), 409, "Cannot terminate a COMPLETED workflow.");
    const other = await given().workflow([step("t", "a")]);
    await given().ok(given().api.delete(`/workflow/${other}`));
    expect((await given().read(other)).at("reasonForIncompletion").raw).toBeUndefined();
    await given().ok(given().api.delete(`/workflow/${other}?reason=again`));
    expect((await given().read(other)).at("reasonForIncompletion").raw).toBeUndefined();
    await given().refused(given().api.delete("/workflow/none"), 404, "No such workflow found by id: none");
  });

  test("terminate of a FAILED workflow makes it TERMINATED", async () => {
    const { id, task } = await given().running({ retryCount: 0 });
    await given().report(task, "FAILED");
    await given().ok(given().api.delete(`/workflow/${id}?reason=late`));
    expect((await given().read(id)).raw).toMatchObject({ status: "TERMINATED", reasonForIncompletion: "late" });
  });

  test("a paused workflow hands out what is scheduled, takes results, and starts nothing new", async () => {
    const type = await given().task();
    const id = await given().workflow([step(type, "a"), step(type, "b")]);
    const paused = await given().api.put(`/workflow/${id}/pause`);
    expect([paused.status, paused.text]).toEqual([200, ""]);
    await given().ok(given().api.put(`/workflow/${id}/pause`));
    await given().report(await given().poll(type), "COMPLETED");
    const workflow = await given().read(id);
    expect(workflow.at("status").raw).toBe("PAUSED");
    expect(states(workflow)).toEqual(["a COMPLETED"]);
    await given().ok(given().api.put(`/workflow/${id}/resume`));
    expect(states(await given().read(id))).toEqual(["a COMPLETED", "b SCHEDULED"]);
  });

  test("pause of an ended workflow is a 409, resume of one that is not paused a 500", async () => {
    const { id, task } = await given().running();
    await given().refused(
      given().api.put(`/workflow/${id}/resume`),
      500,
      /is not PAUSED so cannot resume\. Current status is RUNNING$/,
    );
    await given().report(task, "COMPLETED");
    await given().status(id, "COMPLETED");
    await given().refused(given().api.put(`/workflow/${id}/pause`), 409, /has ended, status cannot be updated\.$/);
    await given().refused(given().api.put("/workflow/none/pause"), 404, "No such workflow found by id: none");
    await given().refused(given().api.put("/workflow/none/resume"), 404, "No such workflow found by id: none");
  });
}

function deciding(given: GivenNow): void {
  test("decide answers an empty 200, for an ended workflow too, and a 404 for an unknown one", async () => {
    const id = await given().workflow([step("t", "a")]);
    await given().ok(given().api.delete(`/workflow/${id}`));
    const answer = await given().api.put(`/workflow/decide/${id}`);
    expect([answer.status, answer.text]).toEqual([200, ""]);
    await given().refused(given().api.put("/workflow/decide/none"), 404, "No such workflow found by id: none");
  });

  test("remove takes an ended workflow and its tasks away; a running one is a 400", async () => {
    const { id, task } = await given().running();
    await given().refused(
      given().api.delete(`/workflow/${id}/remove`),
      400,
      `Cannot archive workflow: ${id} with status: RUNNING`,
    );
    await given().report(task, "COMPLETED");
    await given().status(id, "COMPLETED");
    const answer = await given().api.delete(`/workflow/${id}/remove`);
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect((await given().api.get(`/workflow/${id}`)).status).toBe(404);
    expect((await given().api.get(`/tasks/${task.at("taskId").text()}`)).status).toBe(404);
    await given().refused(given().api.delete(`/workflow/${id}/remove`), 404, `No such workflow found by id: ${id}`);
  });

  test("remove without archiving and terminate-remove take a running workflow away", async () => {
    const [first, second] = [await given().workflow([step("t", "a")]), await given().workflow([step("t", "a")])];
    await given().ok(given().api.delete(`/workflow/${first}/remove?archiveWorkflow=false`));
    await given().ok(given().api.delete(`/workflow/${second}/terminate-remove?reason=x`));
    for (const id of [first, second]) expect((await given().api.get(`/workflow/${id}`)).status).toBe(404);
  });
}
