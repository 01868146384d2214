import type { Environment } from "./args.ts";
import { StackError } from "./errors.ts";
import type { HealthCheck } from "./server-plan.ts";

const NEEDED = [
  "CONDUCTOR_SERVER_URL",
  "LAKECTL_SERVER_ENDPOINT_URL",
  "LAKECTL_CREDENTIALS_ACCESS_KEY_ID",
  "LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY",
] as const;

/** Which servers the real-server tests use: the ones that the environment names, or an instance of their own. */
export type TestServers =
  | { readonly kind: "own" }
  | { readonly kind: "given"; readonly health: readonly { readonly title: string; readonly check: HealthCheck }[] };

/**
 * Decides it: all four variables or none. Throws USAGE (exit 2) where some are set and others not, for tests on half a
 * stack would mislead.
 */
export function decideTestServers(environment: Environment): TestServers {
  const missing = NEEDED.filter((name) => (environment[name] ?? "") === "");
  if (missing.length === NEEDED.length) return { kind: "own" };
  if (missing.length > 0) {
    throw new StackError({
      code: "USAGE",
      message: `the servers are named in part: ${missing.join(", ")} not set`,
      hint: "set all that `pnpm --silent stack env` prints, or none of them",
      exitCode: 2,
    });
  }
  const conductor = (environment["CONDUCTOR_SERVER_URL"] ?? "").replace(/\/api\/?$/, "");
  const lakefs = (environment["LAKECTL_SERVER_ENDPOINT_URL"] ?? "").replace(/\/$/, "");
  return {
    kind: "given",
    health: [
      { title: `lakeFS at ${lakefs}`, check: { url: `${lakefs}/api/v1/healthcheck`, text: "" } },
      { title: `Conductor at ${conductor}`, check: { url: `${conductor}/health`, text: '"healthy":true' } },
    ],
  };
}
