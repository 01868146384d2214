/**
 * A task's full name in the run of the bench that `BENCH_RUN` names: no other run polls the same queue. Executors
 * inherit the variable, since it is none of the hidden ones.
 */
export function named(short: string): string {
  const run = process.env["BENCH_RUN"] ?? "";
  if (run === "") throw new Error("BENCH_RUN is not set: these tasks are started by the bench");
  return `bench.${short}.${run}`;
}
