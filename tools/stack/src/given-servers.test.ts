import { expect, it } from "vitest";
import { decideTestServers } from "./given-servers.ts";

const given = {
  CONDUCTOR_SERVER_URL: "http://127.0.0.1:8080/api",
  LAKECTL_SERVER_ENDPOINT_URL: "http://127.0.0.1:8000",
  LAKECTL_CREDENTIALS_ACCESS_KEY_ID: "AKIA1",
  LAKECTL_CREDENTIALS_SECRET_ACCESS_KEY: "secret",
};

it("uses the servers of the environment when all four variables are set", () => {
  const servers = decideTestServers(given);
  expect(servers.kind === "given" && servers.health.map(({ check }) => check.url)).toEqual([
    "http://127.0.0.1:8000/api/v1/healthcheck",
    "http://127.0.0.1:8080/health",
  ]);
});

it("starts its own when none is set", () => {
  expect(decideTestServers({})).toEqual({ kind: "own" });
  expect(decideTestServers({ CONDUCTOR_SERVER_URL: "" })).toEqual({ kind: "own" });
});

it("refuses half a stack and names what is missing, never a secret", () => {
  const half = { ...given, CONDUCTOR_SERVER_URL: undefined };
  expect(() => decideTestServers(half)).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringContaining("CONDUCTOR_SERVER_URL not set") }),
  );
});
