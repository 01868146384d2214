import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { deadAddress, fakeConductor, type FakeConductor } from "./support/fake-conductor.ts";
import { fixture, perago, temporaryFolder, type Ended } from "./support/perago.ts";

const BUILD = fixture("build.ts");

async function register(engine: Pick<FakeConductor, "url">, ...args: string[]): Promise<Ended> {
  return await perago(["register", ...args], { environment: { CONDUCTOR_SERVER_URL: engine.url } });
}

const writes = (engine: FakeConductor): string[] => engine.requests.filter((each) => !each.startsWith("GET "));

describe("perago register", () => {
  test("registers what is missing, and writes nothing the second time", async () => {
    const engine = await fakeConductor();
    const first = await register(engine, BUILD);
    expect(first.stdout).toContain("features.build  not registered yet");
    expect(first.exitCode).toBe(0);
    expect(engine.definitions.get("features.build")?.["responseTimeoutSeconds"]).toBe(120);
    const second = await register(engine, BUILD);
    expect(second.stdout).toContain("features.build  same");
    expect(writes(engine)).toEqual(["POST /api/metadata/taskdefs"]);
  });

  test("case C13, case C05: shows what changes, and keeps the fields that the code does not own", async () => {
    const engine = await fakeConductor();
    await register(engine, BUILD);
    const registered = engine.definitions.get("features.build");
    const tuned = { ...registered, retryCount: 7, concurrentExecLimit: 4, isolationGroupId: "gpu", createTime: 12 };
    engine.definitions.set("features.build", tuned);
    const run = await register(engine, BUILD);
    expect(run.stdout).toContain("retryCount: 7 -> 3");
    expect(run.exitCode).toBe(0);
    expect(engine.definitions.get("features.build")).toEqual({ ...tuned, retryCount: 3 });
  });

  test("--dry-run shows and writes nothing", async () => {
    const engine = await fakeConductor();
    const run = await register(engine, BUILD, fixture("free.ts"), "--dry-run", "--json");
    expect(run.exitCode).toBe(0);
    const report = JSON.parse(run.stdout) as { dryRun: boolean; tasks: { name: string; status: string }[] };
    expect(report.dryRun).toBe(true);
    expect(report.tasks.map(({ status }) => status)).toEqual(["new", "new", "new"]);
    expect(writes(engine)).toEqual([]);
  });

  test("what the engine accepted and did not keep is 3, with the field", async () => {
    const engine = await fakeConductor();
    engine.keep = (each) => Object.fromEntries(Object.entries(each).filter(([field]) => field !== "inputSchema"));
    const run = await register(engine, BUILD);
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toContain("did not keep: features.build (inputSchema)");
  });

  test("case C03: what the engine refuses is 3 with its words", async () => {
    const engine = await fakeConductor();
    engine.refusal = "ownerEmail cannot be empty";
    const run = await register(engine, BUILD);
    expect(run.exitCode).toBe(3);
    expect(run.stderr).toContain("answered 400: ownerEmail cannot be empty");
    expect(engine.definitions.size).toBe(0);
  });

  test("a module with an error registers none of its neighbours", async () => {
    const engine = await fakeConductor();
    expect((await register(engine, BUILD, fixture("bad.ts"))).exitCode).toBe(1);
    expect(engine.requests).toEqual([]);
  });

  test("a server that is down is 3; with --json the error is one JSON line on stderr", async () => {
    const run = await register({ url: await deadAddress() }, BUILD, "--json");
    expect({ exitCode: run.exitCode, stdout: run.stdout }).toEqual({ exitCode: 3, stdout: "" });
    expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: "conductor_unreachable" } });
  });

  test("localhost that is only IPv4 works", async () => {
    const engine = await fakeConductor();
    expect((await register({ url: `http://localhost:${engine.port}/api` }, BUILD)).exitCode).toBe(0);
  });

  test("wrong credentials are 3 and the secret is not shown; the right ones work, and the process ends by itself", async () => {
    const engine = await fakeConductor();
    engine.pair = { keyId: "key", keySecret: "right-secret" };
    const run = async (secret: string) =>
      await perago(["register", BUILD], {
        environment: {
          CONDUCTOR_SERVER_URL: engine.url,
          CONDUCTOR_AUTH_KEY: "key",
          CONDUCTOR_AUTH_SECRET: secret,
        },
      });
    const wrong = await run("wrong-secret");
    expect(wrong.exitCode).toBe(3);
    expect(wrong.stderr).toContain("refuses the credentials");
    expect(wrong.stderr + wrong.stdout).not.toContain("wrong-secret");
    expect((await run("right-secret")).exitCode).toBe(0);
  });

  test("the address may stand in .env or in the file of --dotenv; the environment wins", async () => {
    const engine = await fakeConductor();
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, ".env"), `CONDUCTOR_SERVER_URL=${await deadAddress()}\n`);
    await writeFile(path.join(folder, "live.env"), `CONDUCTOR_SERVER_URL=${engine.url}\n`);
    expect((await perago(["register", BUILD], { folder })).exitCode).toBe(3);
    expect((await perago(["register", BUILD, "--dotenv", "live.env"], { folder })).exitCode).toBe(0);
    const environment = { CONDUCTOR_SERVER_URL: engine.url };
    expect((await perago(["register", BUILD], { folder, environment })).exitCode).toBe(0);
    const missing = await perago(["register", BUILD, "--dotenv", "none.env"], { folder });
    expect(missing.exitCode).toBe(2);
    expect(missing.stderr).toContain("none.env cannot be read: ENOENT");
  });
});
