/**
 * A task's full name in the test run that `E2E_RUN` names: no other test file and no other run polls the same queue.
 * Executors inherit the variable, since it is none of the hidden ones.
 */
export function named(short: string): string {
  const run = process.env["E2E_RUN"] ?? "";
  if (run === "") throw new Error("E2E_RUN is not set: these tasks are started by the tests");
  return `e2e.${short}.${run}`;
}
