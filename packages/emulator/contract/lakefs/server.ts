import { describe, expect, test } from "vitest";
import { lakefs } from "./under-test.ts";

describe("server", () => {
  test("healthcheck answers 204 without credentials", async () => {
    expect(await lakefs().call("GET", "/healthcheck", { authorization: null })).toMatchObject({ status: 204 });
  });

  test("answers carry the time, by the clock of commits", async () => {
    const repository = await lakefs().repository();
    const madeS = Number((await lakefs().getCommit(repository, "main"))["creation_date"]);
    const { headers } = await lakefs().call("GET", "/healthcheck", { authorization: null });
    const elapsedS = Date.parse(headers.get("date") ?? "") / 1000 - madeS;
    expect(elapsedS).toBeGreaterThanOrEqual(0);
    expect(elapsedS).toBeLessThan(60);
  });

  test("the description is served without credentials", async () => {
    const response = await fetch(`${lakefs().url}/openapi.json`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ info: { title: "lakeFS API" } });
  });

  test("config says the version and a local storage without presigned addresses", async () => {
    const answer = await lakefs().call("GET", "/config");
    expect(answer.json).toMatchObject({
      storage_config: { blockstore_type: "local", pre_sign_support: false, pre_sign_multipart_upload: false },
      version_config: { version: "1.84.0" },
    });
    expect((await lakefs().call("GET", "/config/version")).json).toMatchObject({ version: "1.84.0" });
    expect((await lakefs().call("GET", "/config/storage")).json).toMatchObject({ blockstore_type: "local" });
  });

  test("the user of the credentials can be read", async () => {
    expect((await lakefs().call("GET", "/user")).json).toMatchObject({ user: { id: "perago" } });
  });

  test.for([
    ["none", null],
    ["of an unknown key", `Basic ${Buffer.from("nobody:nothing").toString("base64")}`],
    ["that are no pair", `Basic ${Buffer.from("nobody").toString("base64")}`],
  ] as const)("credentials: %s are refused with 401", async ([, authorization]) => {
    for (const path of ["/config", "/repositories", "/repositories/some-repo/branches"]) {
      const answer = await lakefs().call("GET", path, { authorization });
      expect(answer).toMatchObject({ status: 401, message: "error authenticating request" });
    }
  });

  test("a path that is none of the API's is 404", async () => {
    const response = await fetch(`${lakefs().url}/api/v1/unknown`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ message: "invalid API endpoint" });
  });
});
