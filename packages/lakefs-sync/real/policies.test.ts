import { expect, test } from "vitest";
import { readPolicy } from "../test/policy.ts";
import { realConnection } from "./server.ts";

const { endpoint, accessKeyId, secretAccessKey } = realConnection();
const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`;

function call(path: string, body?: unknown): Promise<Response> {
  return fetch(`${endpoint.replace(/\/+$/, "")}/api/v1${path}`, {
    headers: { authorization, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
}

// The edition that is free of charge has users and keys, and no rights: docs/security.md says so. Should a server of
// these
// tests have them one day, this test fails, and the policies can be tried.
test.each(["worker", "fence-install"] as const)(
  "lakeFS Community knows no rights: it takes no policy, %s.json neither, and every key may do everything",
  async (name) => {
    const setUp: unknown = await (await call("/setup_lakefs")).json();
    expect(setUp).toMatchObject({ login_config: { RBAC: "none" } });
    expect((await call("/auth/policies")).status).toBe(501);
    const made = await call("/auth/policies", readPolicy(name));
    expect({ status: made.status, said: await made.json() }).toEqual({
      status: 501,
      said: { message: "Not Implemented" },
    });
    expect((await call(`/auth/users/nobody/policies`)).status).toBe(501);
  },
);
