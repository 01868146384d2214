import { expect, test } from "vitest";
import { execute, inputFor } from "./world/execution.ts";
import { MemoryConductor } from "./world/memory-conductor.ts";
import { MemoryLakefs } from "./world/memory-lakefs.ts";
import { AttemptError } from "../src/failure.ts";
import { notingStaged, type StagedNote } from "../src/attempt/staged-note.ts";

/** Runs an execution whose staging commit fails, or whose second attempt check does, or whose body does. */
async function stagedBy(strike: "commit" | "check" | "body"): Promise<StagedNote | undefined> {
  const lakefs = new MemoryLakefs({ "data/a": "1" });
  const conductor = new MemoryConductor();
  let staged: () => StagedNote | undefined = () => undefined;
  await execute(
    { lakefs, conductor },
    {
      input: inputFor(lakefs.head()),
      body: (folder) => {
        folder.set("data/b", "2");
        return strike === "body" ? { kind: "failed", message: "no" } : undefined;
      },
      before: strike === "check" ? { recheckAttempt: () => conductor.retry() } : {},
      ports: (ports) => {
        const refusal = new AttemptError({ code: "hook_refused", message: "no", hint: "" });
        const refusing = { ...ports.store, commitStaging: () => Promise.reject(refusal) };
        const noting = notingStaged(strike === "commit" ? { ...ports, store: refusing as never } : ports);
        staged = noting.staged;
        return noting.ports;
      },
    },
  );
  return staged();
}

test("case L15, case W14: what a dropped attempt had staged is known at its end", async () => {
  expect(await stagedBy("body")).toBeUndefined();
  const uncommitted = await stagedBy("commit");
  expect(uncommitted).toMatchObject({ uploadCount: 1, deleteCount: 0 });
  expect(uncommitted).not.toHaveProperty("stagingCommit");
  expect((await stagedBy("check"))?.stagingCommit).toMatch(/^[0-9a-f]{64}$/);
});
