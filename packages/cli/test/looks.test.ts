import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describeSettings } from "@perago/worker";
import { expect, onTestFinished, test } from "vitest";
import { SECRET_NAMES } from "../src/clean-environment.ts";
import { deadAddress } from "./support/fake-conductor.ts";
import { fixture, launch, perago, temporaryFolder } from "./support/perago.ts";

const LOOKS = fixture("looks.ts");
const TIMEOUT_MS = 60_000;

interface Look {
  readonly when: string;
  readonly found: readonly string[];
  readonly readCount: number;
}

/** An environment whose every key is one secret, and the notes of the module that looks for it. */
async function prepare(): Promise<{ environment: Record<string, string>; looks: () => Promise<readonly Look[]> }> {
  const folder = await temporaryFolder();
  const secret = randomBytes(16).toString("hex");
  const file = path.join(folder, "looks.jsonl");
  const environment = {
    ...Object.fromEntries(SECRET_NAMES.map((name) => [name, secret])),
    CONDUCTOR_SERVER_URL: await deadAddress(),
    LAKECTL_SERVER_ENDPOINT_URL: await deadAddress(),
    PERAGO_WORKSPACE_ROOT: path.join(folder, "workspaces"),
    PERAGO_LOG_ROOT: path.join(folder, "logs"),
    LOOK_FOR: Array.from(secret).toReversed().join(""),
    LOOK_FILE: file,
  };
  const looks = async (): Promise<readonly Look[]> => {
    const text = await readFile(file, "utf8").catch(() => "");
    return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Look]));
  };
  return { environment, looks };
}

test("every secret setting is one that is hidden, and so is the key id beside lakeFS' secret", () => {
  const secret = describeSettings().flatMap((setting) => (setting.secret ? [setting.name] : []));
  expect(SECRET_NAMES).toEqual(expect.arrayContaining(secret));
  expect(SECRET_NAMES).toContain("LAKECTL_CREDENTIALS_ACCESS_KEY_ID");
});

test.each([
  ["check", [LOOKS], ["import"]],
  ["extract", [LOOKS], ["import"]],
  ["register", [LOOKS], ["import"]],
  ["start", [LOOKS], ["import"]],
  ["run", [LOOKS, "--params", "{}"], ["import", "import", "body"]],
])(
  "fault J4: perago %s imports and runs a module that finds none of the servers' keys by looking",
  async (command, args, whens) => {
    const { environment, looks } = await prepare();
    await perago([command, ...args], { environment });
    const seen = await looks();
    expect(seen.map(({ when }) => when)).toEqual(whens);
    expect(seen.flatMap(({ found }) => found)).toEqual([]);
    for (const { readCount } of seen) expect(readCount).toBeGreaterThan(2);
  },
  TIMEOUT_MS,
);

test(
  "fault J4: nor does a module of perago dev, whatever its shell has exported",
  async () => {
    const { environment, looks } = await prepare();
    const folder = await temporaryFolder();
    const run = launch(["dev", LOOKS, "--json", "--ephemeral"], { environment, folder });
    onTestFinished(async () => {
      run.kill("SIGTERM");
      await run.ended;
    });
    await expect.poll(async () => (await looks()).length, { timeout: TIMEOUT_MS / 2 }).toBeGreaterThan(0);
    expect((await looks()).flatMap(({ found }) => found)).toEqual([]);
  },
  TIMEOUT_MS,
);

test("the module finds what is there to be found: without the command around it, its own environment", async () => {
  const { environment, looks } = await prepare();
  const command = [process.execPath, "--conditions=perago-source"] as const;
  await perago(["--input-type=module", "-e", `await import(${JSON.stringify(LOOKS)})`], {
    environment,
    command: [...command],
  });
  const [seen] = await looks();
  expect(seen?.found).toContain("env");
  expect(seen?.found).toEqual(expect.arrayContaining([expect.stringMatching(/^\/proc\/\d+\/environ$/)]));
});
